# Points below roofs, both axes logarithmic. Points: y POINT x case marker size.
# Names: y WORDS_* x words case.  Words of roofs: y ROOF_WORDS x words.  Lines: y KIND x dx dy;
# line through a case's points: y SPAN x dx dy case.  LEGEND has two words per case, its name and
# its best variant; the last word is the L2 state of the measured ceilings, or -.
terminal = ARG1; output = ARG2; data = ARG3; numbers = ARG4; title_text = ARG5; axis = ARG6; caption = ARG7; legend = ARG8
load ARG0[1:strlen(ARG0) - strlen("roofline.gp")] . "style.gp"

POINT = 4
WORDS_RIGHT = 5
WORDS_LEFT = 6
LEADER = 7
SPAN = 8
PEAK = 9
CEILING = 10
ROOF_WORDS = 11

cases = words(legend) / 2
l2 = word(legend, 2 * cases + 1)
measured = l2 eq "-" ? 0 : 1
colours = "0x1565c0 0xef6c00 0x2e7d32 0xad1457 0x6a1b9a 0x00838f 0x5d4037 0xc62828 0x9e9d24 0x283593 0x546e7a 0xb7950b"
colour(i) = int(real(word(colours, int(i) % words(colours) + 1)))
# The case in that column for lines of that kind; none for other lines.
hue(line, place) = column(2) == line ? colour(column(place)) : 0

y_low = word(numbers, 10) + 0.0
y_high = word(numbers, 11) + 0.0
set yrange [y_low:y_high]
set logscale xy
set border 3 linecolor rgb "#9e9e9e"
set format x "%g"
set format y "%.0s %cflop/s"
set ytics out nomirror textcolor rgb "#424242" font ",11"
# Three numbers per decade if there are few decades.
if (x_high / x_low < 1000) {
    set for [decade = floor(log10(x_low)):ceil(log10(x_high))] for [digit in "1 2 5"] xtics add (digit * 10.0 ** decade)
}
if (y_high / y_low < 1000) {
    set for [decade = floor(log10(y_low)):ceil(log10(y_high))] for [digit in "1 2 5"] ytics add (digit * 10.0 ** decade)
}
set grid xtics ytics linecolor rgb "#eeeeee" linetype 1
set xlabel axis noenhanced font axis_font textcolor rgb "#424242"
if (!narrow) set label 3 "arithmetic, flop per second (logarithmic)" at screen 20.0 / width, graph 0.5 center rotate by 90 font axis_font textcolor rgb "#424242"
set key at screen key_x(20.0), screen key_y left top Left reverse samplen 0.6 spacing 1.2 font ",11" noenhanced

plot data using 3:(is(PEAK, $1)):4:5 with vectors nohead linecolor rgb "#424242" linewidth 1.6 notitle, \
     data using 3:(is(CEILING, $1)):4:5 with vectors nohead linecolor rgb "#b26a00" linewidth 1.4 dashtype 2 notitle, \
     data using 3:(is(SPAN, $1)):4:5:(hue(SPAN, 6)) with vectors nohead linewidth 0.8 linecolor rgb variable notitle, \
     data using 3:(is(LEADER, narrow ? NaN : $1)):4:5 with vectors nohead linecolor rgb "#9e9e9e" linewidth 0.6 notitle, \
     data using 3:(is(POINT, $6 < 1 ? $1 : NaN)):6:5:(hue(POINT, 4)) with points pointsize variable pointtype variable \
         linecolor rgb variable notitle, \
     data using 3:(is(POINT, $6 < 1 ? NaN : $1)):6:5:(hue(POINT, 4)) with points pointsize variable pointtype variable \
         linecolor rgb variable notitle, \
     for [i = 0:cases - 1] keyentry with points pointtype 7 pointsize 0.9 linecolor rgb colour(i) \
         title sprintf("%d %s: %s", i + 1, word(legend, 2 * i + 1), word(legend, 2 * i + 2)), \
     keyentry with points pointtype 5 pointsize 1 linecolor rgb "#9e9e9e" title "baseline", \
     keyentry with points pointtype 13 pointsize 1 linecolor rgb "#9e9e9e" title "vendor", \
     keyentry with points pointtype 7 pointsize 1 linecolor rgb "#9e9e9e" title "candidate, the best of its case", \
     keyentry with points pointtype 7 pointsize 0.45 linecolor rgb "#9e9e9e" title "candidate", \
     keyentry with lines linecolor rgb "#424242" linewidth 1.6 title "peak", \
     for [i = 1:measured] keyentry with lines linecolor rgb "#b26a00" linewidth 1.4 dashtype 2 title "measured, " . l2 . " L2", \
     data using 3:(is(WORDS_RIGHT, narrow ? NaN : $1)):4:(hue(WORDS_RIGHT, 5)) with labels left font ",10" textcolor rgb variable notitle, \
     data using 3:(is(WORDS_LEFT, narrow ? NaN : $1)):4:(hue(WORDS_LEFT, 5)) with labels right font ",10" textcolor rgb variable notitle, \
     data using 3:(is(ROOF_WORDS, narrow && $3 < sqrt(x_low * x_high) ? NaN : $1)):4 with labels right offset char -0.5, 0.7 font ",10" textcolor rgb "#757575" notitle
