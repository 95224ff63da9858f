# Shared by all charts: terminal, margins in pixels, fonts, the caption. Loaded by a chart's
# script, which is called as
#     gnuplot -c CHART.gp png|svg OUTPUT DATA "width height left right top bottom x_low x_high
#     x_log y_low y_high caption_y lines" TITLE AXIS CAPTION LEGEND
# Words come as data or string values, never inside a string that gnuplot evaluates, and never as
# enhanced text.
width = word(numbers, 1) + 0.0
height = word(numbers, 2) + 0.0
# Reals, because a quotient of integers is an integer.
left = word(numbers, 3) + 0.0
right = word(numbers, 4) + 0.0
top = word(numbers, 5) + 0.0
bottom = word(numbers, 6) + 0.0
x_low = word(numbers, 7) + 0.0
x_high = word(numbers, 8) + 0.0
x_log = word(numbers, 9) + 0
caption_y = word(numbers, 12) + 0.0
lines = word(numbers, 13) + 0

# A narrow drawing has text lines above the marks of a row: the name and the words, in one line if
# they fit. The marks get the rest of the row's height.
narrow = lines > 0
name_y = lines == 0 ? 0 : lines == 2 ? -0.25 : -0.34
words_y = lines == 3 ? -0.02 : name_y
mark_y = lines == 0 ? 0 : lines == 2 ? 0.22 : 0.3
thin = lines == 0 ? 1 : lines == 2 ? 0.55 : 0.37
name_at = narrow ? "left" : "right offset char -1, 0"
words_at = narrow ? (lines == 2 ? "right" : "left") : "left offset char 1, 0"
words_x = lines == 3 ? x_low : x_high
key_x(pixels) = narrow ? 12.0 / width : 1 - (right - pixels) / width
key_y = narrow ? (bottom - 60.0) / height : 1 - top / height

# A PNG has twice the size, for screens and slides. In an SVG gnuplot writes the font family
# unchanged, in quotes.
if (terminal eq "png") {
    head_font = ":Bold,12"
    set terminal pngcairo noenhanced size 2 * width, 2 * height font "DejaVu Sans,12" fontscale 2 linewidth 2 pointscale 2 background "#ffffff"
} else {
    head_font = 'DejaVu Sans&#44;Verdana&#44;sans-serif" font-weight="bold,12'
    set terminal svg noenhanced size width, height font "DejaVu Sans,Verdana,sans-serif,12" fontscale (narrow ? 1 : 1.15) background "#ffffff"
}
set output output

set encoding utf8
set datafile separator tab
set datafile commentschars ""
set lmargin at screen left / width
set rmargin at screen 1 - right / width
set tmargin at screen 1 - top / height
set bmargin at screen bottom / height
rows = (height - top - bottom) / (narrow ? 21.0 * lines : 22.0)
set yrange [rows:0]
set xrange [x_low:x_high]
set border 1 linecolor rgb "#9e9e9e"
set xtics out nomirror textcolor rgb "#424242" font ",11"
set grid xtics linecolor rgb "#e0e0e0" linetype 1
set tics scale 0.6
unset ytics
set style fill solid 1 noborder
unset key
# Positions in pixels from the lower left corner.
if (!narrow) set label 1 title_text at screen 16.0 / width, screen 1 - 24.0 / height left font ",15" textcolor rgb "#212121" noenhanced
set label 2 caption at screen 16.0 / width, screen caption_y / height left font ",11" textcolor rgb "#757575" noenhanced

if (narrow && strstrt(axis, ";") > 0) axis = axis[1:strstrt(axis, ";") - 1]
axis_font = narrow ? ",10" : ",12"

HEAD = 0
ROW = 1
OTHER = 2
MARK = 3
is(line, value) = column(2) == line ? value : NaN
