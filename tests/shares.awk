# The shares of the stall reasons among the samples of each variant, against those of its stall
# counters: prints each that differs by more than `limit` points.
#     awk -F , -v limit=5 -f shares.awk RUN/run.csv RUN/pc_samples.csv
# In an issuing cycle one warp is selected: 100 % in the unit of the counters.
FNR == 1 { file++; next }
file == 1 && $4 ~ /^stall_/ && $4 != "stall_selected" && $6 != "" {
  counted[$1 "/" $2 "/" $3, substr($4, 7)] = $6
  counts[$1 "/" $2 "/" $3] += $6
}
file == 2 { sampled[$1 "/" $2 "/" $3, $(NF - 1)] += $NF; samples[$1 "/" $2 "/" $3] += $NF }
END {
  for (key in sampled) {
    split(key, of, SUBSEP)
    if (of[2] == "selected") counted[key] = 100
    if (!(key in counted) || !counts[of[1]]) continue
    compared++
    share = 100 * sampled[key] / samples[of[1]]
    wanted = 100 * counted[key] / (counts[of[1]] + 100)
    if (share - wanted > limit || wanted - share > limit) print of[1], of[2] ": " share " % of the samples, counted " wanted " %"
  }
  if (compared < 4) print "only " compared + 0 " shares to compare"
}
