# Scores alarms against the truth. Files: the year (history_year data), then the alarms of one rule
# (series,what,found,place,confirmed). -v tool=NAME -v fleet=N. A row a kind of series:
#     fleet,tool,kind,series,found,delay_median,delay_mean,place_error,clean_nights,false_alarms,
#     driver_alarms,single_nights,confirmed
# delay: nights, 1 is the step's own. place_error: nights, of the call nearest to the truth at the
# end of the year. false_alarms: of them single_nights are one night that is off; confirmed: those
# that a simulated A/B of commits that do not differ confirms, one in ten of what the alarms have in
# that column (AB_TRIES in history_year.c); alarms of other programs have none.
#
# A step is found by the first alarm from its night on whose place is within 10 nights of it; a
# drift by the first alarm after it began. An alarm that is placed within 5 nights of a new driver
# counts apart. All others are false.
BEGIN { FS = OFS = ","; AB_TRIES = 10 }
function abs(x) { return x < 0 ? -x : x }
function close_to(place, list, most,    part, n, i) {
    n = split(list, part, "+")
    for (i = 1; i <= n; i++)
        if (abs(place - part[i]) <= most) return 1
    return 0
}
FNR == 1 { file++; next }
file == 1 {
    if (!($1 in kind)) { order[++count] = $1; kind[$1] = $2; truth[$1] = $3; drivers = $4 }
    nights[$1]++
    next
}
{
    s = $1
    is_clean = kind[s] == "clean"
    is_drift = kind[s] ~ /^drift/
    if (!is_clean && $3 >= truth[s] && (is_drift || abs($4 - truth[s]) <= 10)) {
        if ($2 == "creep" && (s in first)) next
        if (!(s in first) || $3 < first[s]) { first[s] = $3; place[s] = $4 }
        if ($2 == "step" && (!(s in final) || abs($4 - truth[s]) < abs(final[s] - truth[s]))) final[s] = $4
    } else if ($2 == "creep") {
        if (is_clean) { false_alarms[kind[s]]++; confirmed[kind[s]] += $5 / AB_TRIES }
    } else if (close_to($4, drivers, 5)) {
        driver_alarms[kind[s]]++
    } else {
        false_alarms[kind[s]]++
        if ($2 == "suspect") suspects[kind[s]]++
        confirmed[kind[s]] += $5 / AB_TRIES
    }
}
END {
    for (i = 1; i <= count; i++) {
        s = order[i]; k = kind[s]
        if (!(k in members)) kinds[++kind_count] = k
        members[k]++
        clean_nights[k] += k == "clean" ? nights[s] : k ~ /^drift/ ? truth[s] : nights[s]
        if (!(s in first)) { delays[k, members[k]] = 9999; continue }
        found[k]++
        delays[k, members[k]] = first[s] - truth[s] + 1
        if (s in final) { placed[k]++; error[k] += abs(final[s] - truth[s]) }
    }
    for (j = 1; j <= kind_count; j++) {
        k = kinds[j]; n = members[k]; sum = 0
        for (a = 1; a <= n; a++) sorted[a] = delays[k, a]
        for (a = 2; a <= n; a++) { v = sorted[a]; for (b = a - 1; b > 0 && sorted[b] > v; b--) sorted[b + 1] = sorted[b]; sorted[b + 1] = v }
        for (a = 1; a <= n; a++) if (sorted[a] < 9999) sum += sorted[a]
        median = sorted[int((n + 1) / 2)]
        print fleet, tool, k, n, found[k] + 0, k == "clean" ? "" : median == 9999 ? "never" : median,
            k == "clean" || !found[k] ? "" : sprintf("%.2f", sum / found[k]), placed[k] ? sprintf("%.2f", error[k] / placed[k]) : "",
            clean_nights[k], false_alarms[k] + 0, driver_alarms[k] + 0, suspects[k] + 0, confirmed[k] + 0
    }
}
