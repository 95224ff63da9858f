# The table of history_year.sh for people, and what must hold of it; exits 1 where it does not.
BEGIN { FS = "," }
NR == 1 { next }
{
    t = $1 "," $2
    if (!(t in seen)) { seen[t] = 1; tools[++count] = t }
    found[t, $3] = $5; series[t, $3] = $4; delay[t, $3] = $7
    if ($3 == "clean") { rate[t] = 100 * $10 / $9; single[t] = 100 * $12 / $9; left[t] = 1000 * $13 / $9 }
    if ($3 ~ /^step/) { steps[t]++; if ($8 != "") { error[t] += $8; placed[t]++ } }
}
# Mean delay of those that were found; one that was not found counts as the
# rest of a year, 60 nights at least.
function cost(t, kind) { return (delay[t, kind] * found[t, kind] + 60 * (series[t, kind] - found[t, kind])) / series[t, kind] }
function is_as_good(s, o,    i) {
    if (rate[s] > rate[o]) return 0
    for (i = 1; i <= 4; i++) if (cost(s, kinds[i]) > cost(o, kinds[i]) + 1e-9) return 0
    return 1
}
function cell(t, kind) { return sprintf("%s%s", delay[t, kind] == "" ? "-" : delay[t, kind], found[t, kind] < series[t, kind] ? " (" found[t, kind] " of " series[t, kind] ")" : "") }
END {
    split("step_0.5 step_1 step_2 step_5", kinds, " ")
    print "| GPUs | rule | false alarms in 100 clean nights | single nights | +0.5 % | +1 % | +2 % | +5 % | drift of 2 % in 200 nights | place off by |"
    print "|---|---|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= count; i++) {
        t = tools[i]; split(t, part, ",")
        printf "| %s | %s | %.2f | %.2f | %s | %s | %s | %s | %s | %.2f |\n", part[1], part[2], rate[t], single[t], cell(t, "step_0.5"),
            cell(t, "step_1"), cell(t, "step_2"), cell(t, "step_5"), cell(t, "drift_2"), placed[t] ? error[t] / placed[t] : 0
    }
    for (i = 1; i <= count; i++) {
        t = tools[i]; split(t, part, ",")
        if (part[2] ~ /^solgate/) {
            if (left[t] > 1) { printf "FAIL: %s: %.2f false alarms in 1,000 are left\n", t, left[t]; failed = 1 }
            for (k = 1; k <= 4; k++)
                if (found[t, kinds[k]] < series[t, kinds[k]]) { printf "FAIL: %s finds %d of %d of %s\n", t, found[t, kinds[k]], series[t, kinds[k]], kinds[k]; failed = 1 }
        } else if (!is_as_good(part[1] ",solgate_usual", t) && !is_as_good(part[1] ",solgate_few", t)) {
            printf "FAIL: %s is faster somewhere, or has fewer false alarms\n", t; failed = 1
        }
    }
    exit failed
}
