# The frame of all charts: layout, terminal, fonts, title, caption, key. Called as
#     gnuplot -c style.gp CHART.gp OUTPUT DATA TITLE AXIS CAPTION LEGEND NUMBERS
# and loads CHART.gp, which plots. The layout follows from the data, by the kind of each line:
# y KIND fields. OUTPUT is NAME.png, NAME.svg, or NAME_narrow.svg for phones. LEGEND has four words
# per entry of the key: point type (0: line, -1: dashes), size, colour, words with U+00A0 for
# blanks. NUMBERS is "x_low x_high x_log caption_lines". Words come as data or string values, never
# inside a string that gnuplot evaluates, and never as enhanced text.
output = ARG2; data = ARG3; axis = ARG5; legend = ARG7
HEAD = 0; ROW = 1; COLUMN = 2; MARK = 3; DOT = 4; POINT = 5; WORDS = 6; SPAN = 7; PEAK = 8; CEILING = 9; SLOPE_WORDS = 10
is(line, value) = column(2) == line ? value : NaN
max(a, b) = a > b ? a : b
# Reals, because a quotient of integers is an integer.
number(i) = word(ARG8, i) + 0.0
x_low = number(1)
x_high = number(2)
x_log = word(ARG8, 3) + 0
caption_lines = number(4)
narrow = strstrt(output, "_narrow.svg") > 0

set encoding utf8
set datafile separator tab
set datafile commentschars ""
# Rows, and the longest of their words, in characters; names of cases are bold.
stats data using (column(2) == ROW ? $1 + 0.5 : 0) name "row" nooutput
stats data using (column(2) == HEAD ? 1.3 * strlen(strcol(3)) : column(2) == ROW ? strlen(strcol(3)) : 0) name "label" nooutput
stats data using (column(2) == ROW ? strlen(strcol(4)) : 0) name "words" nooutput
stats data using (column(2) == ROW ? strlen(strcol(3)) + strlen(strcol(4)) : 0) name "both" nooutput
stats data using (column(2) == COLUMN ? strlen(strcol(3)) : 0) name "column" nooutput
rows = row_max
keys = words(legend) / 4
# gnuplot looks at the entry behind the last one of a loop, too.
key_number(i, k) = i > keys ? 1 : word(legend, 4 * (i - 1) + k) + 0
key_type(i) = key_number(i, 1)
key_size(i) = key_number(i, 2)
key_colour(i) = key_number(i, 3)
key_words(i) = word(legend, 4 * i)
key_longest = keys == 0 ? 0 : 50
dots = 0
do for [i = 1:keys] {
    key_longest = max(key_longest, 50 + 8.6 * strlen(key_words(i)))
    dots = dots + (key_type(i) > 0)
}

# All in pixels. A narrow drawing has text lines above the marks of a row: the name and the words,
# in one line if they fit. The marks get the rest of the row's height.
# A key that is higher than the rows would have columns.
span = narrow ? rows : max(rows, 0.95 * keys)
lines = !narrow ? 1 : 7.1 * both_max < 348 ? 2 : 3
caption_height = 17.0 * caption_lines
if (narrow) {
    left = rows > 0 ? 14.0 : 84.0
    right = 14.0
    width = 376.0
    top = 12 + 7.4 * column_max
    bottom = 76 + caption_height + 21 * keys
    height = top + bottom + (rows > 0 ? 21 * lines * rows : max(300, 22 * keys)) # a key higher than the plot has columns
} else {
    plot_width = column_max > 0 ? 58 * x_high : rows > 0 ? 620 : 860
    left = rows > 0 ? 30 + 9 * label_max : 150.0
    right = 30 + 8.1 * words_max + max(key_longest, 5.2 * column_max)
    left = max(left, 32 + 9 * strlen(axis) - plot_width - right)
    right = max(right, 32 + 11.5 * strlen(ARG4) - left - plot_width)
    width = left + plot_width + right
    top = 56 + 5.2 * column_max
    bottom = 94 + caption_height
    height = top + bottom + (rows > 0 ? 22 * span : max(480, 20.5 * keys))
}
name_y = lines == 1 ? 0 : lines == 2 ? -0.25 : -0.34
words_y = lines == 3 ? -0.02 : name_y
mark_y = lines == 1 ? 0 : lines == 2 ? 0.22 : 0.3
thin = lines == 1 ? 1 : lines == 2 ? 0.55 : 0.37
name_at = narrow ? "left" : "right offset char -1, 0"
words_at = narrow ? (lines == 2 ? "right" : "left") : "left offset char 1, 0"
words_x = lines == 3 ? x_low : x_high

# A PNG has twice the size, for screens and slides. In an SVG gnuplot writes the font family
# unchanged, in quotes.
if (strstrt(output, ".png") > 0) {
    head_font = ":Bold,12"
    set terminal pngcairo noenhanced size 2 * width, 2 * height font "DejaVu Sans,12" fontscale 2 linewidth 2 pointscale 2 background "#ffffff"
} else {
    head_font = 'DejaVu Sans&#44;Verdana&#44;sans-serif" font-weight="bold,12'
    set terminal svg noenhanced size width, height font "DejaVu Sans,Verdana,sans-serif,12" fontscale (narrow ? 1 : 1.15) background "#ffffff"
}
set output output
set lmargin at screen left / width
set rmargin at screen 1 - right / width
set tmargin at screen 1 - top / height
set bmargin at screen bottom / height
if (rows > 0) {
    set yrange [span:0]
    set xrange [x_low:x_high]
}
set border 1 linecolor rgb "#9e9e9e"
set xtics out nomirror textcolor rgb "#424242" font ",11"
set grid xtics linecolor rgb "#e0e0e0" linetype 1
set tics scale 0.6
unset ytics
set style fill solid 1 noborder
set key at screen narrow ? 12 / width : 1 - (right - (rows > 0 ? 14 + 8.1 * words_max : 14)) / width, \
    screen narrow ? (bottom - 60) / height : 1 - top / height left top Left reverse samplen 0.8 spacing 1.25 font ",11" noenhanced
# Positions in pixels from the lower left corner.
if (!narrow) set label 1 ARG4 at screen 16.0 / width, screen 1 - 24.0 / height left font ",15" textcolor rgb "#212121" noenhanced
set label 2 ARG6 at screen 16.0 / width, screen (narrow ? caption_height : caption_height + 10) / height left font ",11" textcolor rgb "#757575" noenhanced
if (narrow && strstrt(axis, ";") > 0) axis = axis[1:strstrt(axis, ";") - 1]
set xlabel axis noenhanced font (narrow ? ",10" : ",12") textcolor rgb "#424242"

# The end of each plot command: the names of cases and rows, and the key, points before lines.
names = 'data using (is(HEAD, x_low)):($1 + name_y / 3):3 with labels @name_at font head_font textcolor rgb "#212121" notitle, ' \
    . 'data using (is(ROW, x_low)):($1 + name_y):3 with labels @name_at font ",12" textcolor rgb "#616161" notitle'
key = 'for [i = 1:dots] keyentry with points pointtype key_type(i) pointsize key_size(i) linecolor rgb key_colour(i) title key_words(i), ' \
    . 'for [i = dots + 1:keys] keyentry with lines dashtype 1 - key_type(i) linewidth key_size(i) linecolor rgb key_colour(i) title key_words(i)'
load ARG0[1:strlen(ARG0) - strlen("style.gp")] . ARG1
