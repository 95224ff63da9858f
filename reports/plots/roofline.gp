# Points below roofs, both axes logarithmic. Points: y POINT x case marker.  Names: y WORDS_* x words case.  Roofs' words: y ROOF_WORDS x words.
# Lines: y KIND x dx dy.  LEGEND names the cases; its last word is "measured" where ceilings were.
terminal = ARG1; output = ARG2; data = ARG3; numbers = ARG4; title_text = ARG5; axis = ARG6; caption = ARG7; legend = ARG8
load ARG0[1:strlen(ARG0) - strlen("roofline.gp")] . "style.gp"

POINT = 4
WORDS_RIGHT = 5
WORDS_LEFT = 6
LEADER = 7
PEAK = 8
CEILING = 9
ROOF_WORDS = 10

cases = words(legend) - 1
measured = word(legend, cases + 1) eq "measured" ? 1 : 0
colours = "0x1565c0 0xef6c00 0x2e7d32 0xad1457 0x6a1b9a 0x00838f 0x5d4037 0xc62828 0x9e9d24 0x283593 0x546e7a 0xf9a825"
colour(i) = int(real(word(colours, int(i) % words(colours) + 1)))
# Of a line of that kind; others have no case.
hue(line) = column(2) == line ? colour(column(5)) : 0

set yrange [word(numbers, 10) + 0.0:word(numbers, 11) + 0.0]
set logscale xy
set border 3 linecolor rgb "#9e9e9e"
set format x "%g"
set format y "%.0s %cflop/s"
set ytics out nomirror textcolor rgb "#424242" font ",11"
set grid xtics ytics linecolor rgb "#eeeeee" linetype 1
set xlabel axis noenhanced font ",12" textcolor rgb "#424242"
set key at screen 1 - (right - 20.0) / width, screen 1 - top / height left top Left reverse samplen 0.6 spacing 1.2 font ",11" noenhanced

plot data using 3:(is(PEAK, $1)):4:5 with vectors nohead linecolor rgb "#424242" linewidth 1.6 notitle, \
     data using 3:(is(CEILING, $1)):4:5 with vectors nohead linecolor rgb "#b26a00" linewidth 1.4 dashtype 2 notitle, \
     data using 3:(is(LEADER, $1)):4:5 with vectors nohead linecolor rgb "#9e9e9e" linewidth 0.6 notitle, \
     for [i = 0:cases - 1] data using (is(POINT, $4 == i ? $3 : NaN)):1:5 with points pointtype variable pointsize 0.9 \
         linecolor rgb colour(i) notitle, \
     for [i = 0:cases - 1] keyentry with points pointtype 7 pointsize 0.9 linecolor rgb colour(i) title word(legend, i + 1), \
     keyentry with points pointtype 5 pointsize 0.9 linecolor rgb "#9e9e9e" title "baseline", \
     keyentry with points pointtype 7 pointsize 0.9 linecolor rgb "#9e9e9e" title "candidate", \
     keyentry with points pointtype 13 pointsize 1.1 linecolor rgb "#9e9e9e" title "vendor", \
     keyentry with lines linecolor rgb "#424242" linewidth 1.6 title "peak", \
     for [i = 1:measured] keyentry with lines linecolor rgb "#b26a00" linewidth 1.4 dashtype 2 title "measured", \
     data using 3:(is(WORDS_RIGHT, $1)):4:(hue(WORDS_RIGHT)) with labels left font ",10" textcolor rgb variable notitle, \
     data using 3:(is(WORDS_LEFT, $1)):4:(hue(WORDS_LEFT)) with labels right font ",10" textcolor rgb variable notitle, \
     data using 3:(is(ROOF_WORDS, $1)):4 with labels right offset char -0.5, 0.7 font ",10" textcolor rgb "#757575" notitle
