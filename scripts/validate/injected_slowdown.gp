# Slowdowns of known size, read against true. Above: the change that was read; below: how far it is
# from the truth, as a share of it.
#     gnuplot -c injected_slowdown.gp png|svg OUTPUT slopes.tsv "CASE CASE ..."
# Left: more work; right: time spun away. Below, the points of a case are moved aside, so that
# intervals do not hide each other.
width = 1100; height = 720
terminal = ARG1; output = ARG2; data = ARG3; cases = ARG4
load ARG0[1:strlen(ARG0) - strlen("injected_slowdown.gp")] . "../lib/style.gp"

set datafile separator tab
count = words(cases)
colours = "0x6a1b9a 0x1565c0 0x00838f 0x2e7d32 0x9e9d24 0xf9a825 0xef6c00 0xd84315 0xad1457"
colour(i) = int(real(word(colours, (i - 1) % words(colours) + 1)))
is(kind, i) = strcol(1) eq kind && strcol(2) eq word(cases, i)
aside(i) = 1.04 ** (i - (count + 1) / 2.0)
true_of(kind, i) = is(kind, i) ? $3 : NaN
# Of a truth of no change at all there is no share.
share(value) = $3 != 0 ? 100.0 * value / $3 : NaN
title_of(kind) = kind eq "work" ? "more work: turns of a chain, bytes of a copy" : "time spun away"

set logscale x 2
set xrange [0.2:5]
set xtics (0.25, 0.5, 1, 2, 4)
set label 1 "Slowdowns of known size: what was read against what is true" at screen 0.015, 0.965 left font ",15" textcolor rgb "#212121"
set label 2 "a point a ratio, with its 95 % interval; the band is 1 +- 0.03; what lies beyond 70 to 130 % is in the tables" at screen 0.015, 0.93 left font ",11" textcolor rgb "#757575"
set multiplot
do for [kind in "work spin"] {
    set lmargin at screen (kind eq "work" ? 0.085 : 0.505)
    set rmargin at screen (kind eq "work" ? 0.445 : 0.865)

    set tmargin at screen 0.84
    set bmargin at screen 0.50
    set title title_of(kind) font ",12" textcolor rgb "#424242"
    set logscale y 2
    set yrange [0.125:8]
    set ytics (0.25, 0.5, 1, 2, 4)
    if (kind eq "work") { set ylabel "read" offset 1, 0 textcolor rgb "#424242" } else { unset ylabel }
    unset xlabel
    unset key
    if (kind eq "spin") { set key at screen 0.872, 0.84 left top Left reverse samplen 1 font ",11" noenhanced }
    plot x with lines linecolor rgb "#9e9e9e" notitle, \
         for [i = 1:count] data using (true_of(kind, i)):5:4:6 with yerrorbars pointtype 7 pointsize 0.35 linecolor rgb colour(i) notitle, \
         for [i = 1:count] NaN with points pointtype 7 pointsize 1 linecolor rgb colour(i) title word(cases, i)

    unset label
    unset title
    unset key
    set tmargin at screen 0.43
    set bmargin at screen 0.10
    unset logscale y
    set yrange [70:130]
    set ytics 10
    if (kind eq "work") { set ylabel "read / true" offset -0.5, 0 textcolor rgb "#424242" }
    set xlabel "true" textcolor rgb "#424242"
    set object 1 rectangle from graph 0, first 97 to graph 1, first 103 fillcolor rgb "#e3e8eb" fillstyle solid 1 noborder behind
    plot 100 with lines linecolor rgb "#9e9e9e" notitle, \
         for [i = 1:count] data using (true_of(kind, i) * aside(i)):(share($5)):(share($4)):(share($6)) with yerrorbars pointtype 7 pointsize 0.35 \
             linecolor rgb colour(i) notitle
    unset object 1
}
unset multiplot
