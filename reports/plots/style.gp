# What all charts share: terminal, margins in pixels, fonts, the caption. Loaded by a
# chart's script, which was called as
#     gnuplot -c CHART.gp png|svg OUTPUT DATA "width height left right top bottom x_low x_high
#     x_log" TITLE AXIS CAPTION LEGEND
# Words come as data or as values of strings, never inside a string that gnuplot evaluates;
# nothing is read as enhanced text.
width = word(numbers, 1) + 0.0
height = word(numbers, 2) + 0.0
# Reals: a quotient of integers would be an integer.
left = word(numbers, 3) + 0.0
right = word(numbers, 4) + 0.0
top = word(numbers, 5) + 0.0
bottom = word(numbers, 6) + 0.0
x_low = word(numbers, 7) + 0.0
x_high = word(numbers, 8) + 0.0
x_log = word(numbers, 9) + 0

# A PNG is drawn twice as large, for screens and slides. In an SVG a family ":Bold"
# would be one that no browser has.
head_font = ",12"
if (terminal eq "png") {
    head_font = ":Bold,12"
    set terminal pngcairo noenhanced size 2 * width, 2 * height font "DejaVu Sans,12" fontscale 2 linewidth 2 pointscale 2 background "#ffffff"
} else {
    set terminal svg noenhanced size width, height font "DejaVu Sans,Verdana,sans-serif,12" fontscale 1.15 background "#ffffff"
}
set output output

set encoding utf8
set datafile separator tab
set datafile commentschars ""
set lmargin at screen left / width
set rmargin at screen 1 - right / width
set tmargin at screen 1 - top / height
set bmargin at screen bottom / height
rows = (height - top - bottom) / 22.0
set yrange [rows:0]
set xrange [x_low:x_high]
set border 1 linecolor rgb "#9e9e9e"
set xtics out nomirror textcolor rgb "#424242" font ",11"
set grid xtics linecolor rgb "#e0e0e0" linetype 1
set tics scale 0.6
unset ytics
set style fill solid 1 noborder
unset key
# Places in pixels from the lower left corner.
set label 1 title_text at screen 16.0 / width, screen 1 - 24.0 / height left font ",15" textcolor rgb "#212121" noenhanced
set label 2 caption at screen 16.0 / width, screen (bottom - 84.0) / height left font ",11" textcolor rgb "#757575" noenhanced

HEAD = 0
ROW = 1
OTHER = 2
MARK = 3
is(line, value) = column(2) == line ? value : NaN
