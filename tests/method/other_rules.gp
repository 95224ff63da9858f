# Share of comparisons in which a rule calls the candidate slower, against the true change: two
# settings, launches taken in two ways.
width = 1100; height = 720
terminal = ARG1; output = ARG2; data = ARG3
load ARG0[1:strlen(ARG0) - strlen("other_rules.gp")] . "../../scripts/lib/style.gp"

rules = "median_2 median_5 welch mann_whitney noise intervals solgate"
names = "'medians, 2 %' 'medians, 5 %' 'Welch, 5 %' 'Mann-Whitney' 'beyond the noise' 'intervals apart' 'solgate, 0.5 %'"
colours = "0x90a4ae 0x546e7a 0xef6c00 0xad1457 0x2e7d32 0x6a1b9a 0x1565c0"
colour(i) = int(real(word(colours, i)))
# solgate takes turns always; it stands in every panel.
is_of(s, how, r) = strcol(1) eq s && strcol(3) eq r && (strcol(2) eq how || r eq "solgate")
called(s, how, r) = is_of(s, how, r) ? 100.0 * $6 / $5 : NaN
change(s, how, r) = is_of(s, how, r) ? 100.0 * $4 : NaN

set xrange [0:6]
set xtics 1
set multiplot layout 2, 3 margins 0.06, 0.975, 0.13, 0.83 spacing 0.06, 0.13
set label 1 "Who calls a candidate slower, against the true change" at screen 0.015, 0.965 left font ",15" textcolor rgb "#212121"
set label 2 "simulated source, 1,000 comparisons a point, 1,920 timed launches each; at 0 every call is false; Welch's line lies under Mann and Whitney's" \
    at screen 0.015, 0.92 left font ",11" textcolor rgb "#757575"
do for [i = 1:7] {
    set label 10 + i word(names, i) at screen 0.06 + 0.133 * (i - 1), 0.045 left point pointtype 7 pointsize 0.8 linecolor rgb colour(i) \
        offset char 1, 0 font ",10.5" textcolor rgb colour(i)
}
unset key
panel = 0
do for [how in "one_after_the_other in_turns"] {
    do for [s in "typical apart wandering"] {
        panel = panel + 1
        set title sprintf("%s, %s", s eq "typical" ? "typical" : s eq "apart" ? "processes differ" : "clock wanders", \
                          how eq "in_turns" ? "launches in turns" : "one after the other") font ",11" textcolor rgb "#424242"
        if (panel == 4) { unset label 1; unset label 2 }
        plot for [i = 1:7] data skip 1 using (change(s, how, word(rules, i))):(called(s, how, word(rules, i))) \
            with linespoints pointtype 7 pointsize 0.4 linewidth (i == 7 ? 2.6 : 1.4) linecolor rgb colour(i) notitle
    }
}
unset multiplot
