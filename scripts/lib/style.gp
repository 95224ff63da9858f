# What the charts of tests/method and scripts/validate share; the look of reports/plots. Loaded by a
# chart that has set terminal, output, width and height
if (terminal eq "png") {
    set terminal pngcairo noenhanced size 2 * width, 2 * height font "DejaVu Sans,10" fontscale 2 linewidth 2 pointscale 2 background "#ffffff"
} else {
    set terminal svg noenhanced size width, height font "DejaVu Sans,Verdana,sans-serif,10" background "#ffffff"
}
set output output
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
