# Share of pairs called regressed against the true change: a panel a setting, a line a tolerance.
width = 1100; height = 860
data = ARG1
set terminal pngcairo noenhanced size width, height font "DejaVu Sans,10" background "#ffffff"
set output ARG2
set encoding utf8
set datafile separator comma
# Rows of other lines of the chart are passed over, without a gap.
set datafile missing NaN
set border 3 linecolor rgb "#9e9e9e"
set tics out nomirror scale 0.6 textcolor rgb "#424242" font ",10"
set grid linecolor rgb "#e0e0e0" linetype 1
set yrange [-2:103]
set ytics 25
set format y "%g %%"
set format x "%g %%"

settings = "typical memory short rough apart coarse spiky wandering"
title_of(s) = s eq "typical" ? "typical: 74 us, bound by the clock" : s eq "memory" ? "74 us, bound by memory" : \
    s eq "short" ? "10 us, launches differ by 0.8 %" : s eq "rough" ? "15 us, launches differ by 3 %" : s eq "apart" ? "processes differ by 0.15 %" : \
    s eq "coarse" ? "5 us, a tick of 32 ns" : s eq "spiky" ? "a spike in 100 launches" : "a clock that wanders by 5 %"
tolerances = "0.001 0.0025 0.005 0.01"
colours = "0x6a1b9a 0x2e7d32 0x1565c0 0xef6c00"
colour(i) = int(real(word(colours, i)))
called(s, t) = strcol(1) eq s && column(2) == t ? 100.0 * $5 / $4 : NaN
change(s, t) = strcol(1) eq s && column(2) == t ? 100.0 * $3 : NaN

set xrange [0:3]
set xtics 1
set multiplot layout 3, 3 margins 0.06, 0.975, 0.05, 0.87 spacing 0.06, 0.09
set label 1 "Share of pairs called regressed, against the true change, by tolerance" at screen 0.015, 0.97 left font ",15" textcolor rgb "#212121"
set label 2 "simulated source, 500 pairs a point; the vertical lines are the tolerances, left of which calls are false" \
    at screen 0.015, 0.935 left font ",11" textcolor rgb "#757575"
do for [s in settings] {
    set title title_of(s) font ",11" textcolor rgb "#424242"
    if (s eq "coarse") { unset label 1; unset label 2 }
    unset key
    do for [i = 1:4] { set arrow i from 100.0 * real(word(tolerances, i)), graph 0 to 100.0 * real(word(tolerances, i)), graph 1 nohead linecolor rgb colour(i) dashtype 3 linewidth 1 back }
    plot for [i = 1:4] data skip 1 using (change(s, real(word(tolerances, i)))):(called(s, real(word(tolerances, i)))) \
        with linespoints pointtype 7 pointsize 0.35 linewidth 1.6 linecolor rgb colour(i) notitle
}
unset arrow; unset border; unset tics; unset grid; unset label
set title ""
set key center center samplen 2 font ",12" title "tolerance"
plot for [i = 1:4] NaN with lines linewidth 2.5 linecolor rgb colour(i) title sprintf("%g %%", 100.0 * real(word(tolerances, i)))
unset multiplot
