# shellcheck shell=bash
# Completion of solgate in bash: commands, options and their values, as listed by -h, so that there
# is no list here. In zsh, first run `autoload -U bashcompinit && bashcompinit`.

# _solgate_choices ARG: prints the possible values of an argument named ARG by -h
_solgate_choices() {
    case $1 in
    *\|*) tr '|' '\n' <<<"$1" ;;
    KEY) "$program" list gpus --format=csv | sed '1d; s/,.*//' ;;
    SUITE*) "$program" list suites --format=csv | sed '1d; s/,.*//' ;;
    esac
}

_solgate() {
    local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} option='' help word found=''
    local -a command=()
    if [[ $current == = ]]; then # bash takes --format=js for three words
        option=${COMP_WORDS[COMP_CWORD - 1]} current=''
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word == [a-z]* && ${#command[@]} -lt 2 ]] || break
        command+=("$word")
    done
    help=$("$program" "${command[@]}" -h 2>/dev/null)
    if [[ $option ]]; then
        found=$(_solgate_choices "$(sed -n "s/^  $option=\([^ ]*\).*/\1/p" <<<"$help")")
    elif [[ $current == -* ]]; then
        found=$(grep -o '^  --[a-z0-9-]*=\{0,1\}' <<<"$help")
        compopt -o nospace 2>/dev/null
    elif [[ ${#command[@]} == 0 ]]; then
        found=$(sed -n 's/^  \([a-z]*\)  .*/\1/p' <<<"$help")
    else # the arguments, or the parts of a command
        for word in $(sed -n 's/^\(Usage\|  or\): *solgate [a-z ]*\[OPTION\.\.\.\] *\[\{0,1\}\([a-zA-Z|]*\).*/\2/p' <<<"$help"); do
            [[ $word == [a-z]* && $word != *\|* ]] && found+=" $word" || found+=" $(_solgate_choices "$word")"
        done
    fi
    mapfile -t COMPREPLY < <(compgen -W "$found" -- "$current")
}
complete -o default -F _solgate solgate
