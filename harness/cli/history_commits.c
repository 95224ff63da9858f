#include "cli/history_commits.h"

#include <string.h>

#include "cli/script.h"
#include "util/escape.h"
#include "util/paths.h"

#define INDENT "               "

bool sg_is_commit(const char *word)
{
    return *word && word[strspn(word, "0123456789abcdef")] == '\0';
}

/* What git prints, to its end; false: it did not end with 0. */
static bool read_log(const char *repository, const char *range, struct sg_text *log)
{
    struct sg_text script = {0}, program = {0};
    const bool is_there = sg_program_path(&program, "git");
    sg_text_add(&script, "exec ");
    sg_text_add_word(&script, sg_text_string(&program));
    sg_text_add(&script, " -C ");
    sg_text_add_word(&script, repository);
    sg_text_addf(&script, " log --format='%%h %%s' -n%d %s -- 2>/dev/null", SG_COMMITS_MAX, range);
    const bool is_read = is_there && sg_script_run(script.data, log) == 0;
    sg_text_release(&program);
    sg_text_release(&script);
    return is_read;
}

void sg_add_commits(struct sg_text *out, const char *repository, const struct sg_history *history, const struct sg_series_step *step)
{
    const char *before = step->earliest > 0 ? sg_env_get(&history->nights[step->earliest - 1].facts, SG_NIGHT_COMMIT) : NULL;
    const char *after = sg_env_get(&history->nights[step->latest].facts, SG_NIGHT_COMMIT);
    if (!before || !after || !sg_is_commit(before) || !sg_is_commit(after) || strcmp(before, after) == 0)
        return;
    struct sg_text range = {0}, log = {0};
    sg_text_addf(&range, "%s..%s", before, after);
    if (!read_log(repository, range.data, &log))
        sg_text_addf(out, INDENT "git lists no commits %s in %s\n", range.data, sg_show(repository, strlen(repository)).text);
    char *rest = log.data;
    for (const char *line; rest && (line = strsep(&rest, "\n")) != NULL;) {
        if (!*line)
            continue;
        sg_text_add(out, INDENT);
        sg_add_terminal(out, line);
        sg_text_add(out, "\n");
    }
    sg_text_release(&range);
    sg_text_release(&log);
}
