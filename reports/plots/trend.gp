# Nights of a series. Points: y POINT day low high gpu.  Levels: y SPAN day days
# is_accepted.  Marks: line MARK day colour words.
# LEGEND has a word a GPU; `_` stands for a blank.
terminal = ARG1; output = ARG2; data = ARG3; numbers = ARG4; title_text = ARG5; axis = ARG6; caption = ARG7; legend = ARG8
load ARG0[1:strlen(ARG0) - strlen("trend.gp")] . "style.gp"

POINT = 4
SPAN = 8
day = 86400.0
y_low = word(numbers, 10) + 0.0
y_high = word(numbers, 11) + 0.0
line_height = (y_high - y_low) * 17.0 / (height - top - bottom)
colours = "0x1565c0 0xef6c00 0x00838f 0xad1457 0x9e9d24 0x5d4037 0x9e9e9e" # the last of the GPUs that are not named
colour(i) = int(real(word(colours, int(i) + 1)))
# `_` to blanks.
spaced(s) = strstrt(s, "_") == 0 ? s : spaced(s[1:strstrt(s, "_") - 1] . " " . s[strstrt(s, "_") + 1:])

set xrange [x_low * day:x_high * day]
set yrange [y_low:y_high]
set border 3 linecolor rgb "#9e9e9e"
set xtics format (x_high - x_low < 5 ? "%H:%M\n%m-%d" : "%Y-%m-%d") timedate
set ytics out nomirror textcolor rgb "#424242" font ",11"
set format y "%+g %%"
set grid xtics ytics linecolor rgb "#eeeeee" linetype 1
set ylabel axis noenhanced font ",12" textcolor rgb "#424242"
set key at screen key_x(14.0), screen key_y left top Left reverse samplen 1.2 spacing 1.3 font ",11" noenhanced

plot data using (is(MARK, $3) * day):(y_low):(0):(y_high - y_low):4 with vectors nohead dashtype 2 linewidth 1.6 linecolor rgb variable notitle, \
     data using (is(POINT, $3) * day):1:4:5:(column(2) == POINT ? colour($6) : 0) with yerrorbars pointtype 7 pointsize 0.35 \
         linewidth 0.6 linecolor rgb variable notitle, \
     data using (is(SPAN, $3) * day):1:($4 * day):(0):($5 > 0 ? 0x2e7d32 : 0x212121) with vectors nohead linewidth 2 \
         linecolor rgb variable notitle, \
     data using (is(MARK, $3) * day):(y_high - (column(1) + 0.7) * line_height):5:4 with labels left offset char 0.4, 0 font ",10" \
         textcolor rgb variable notitle, \
     for [i = 1:words(legend)] keyentry with points pointtype 7 pointsize 0.6 linecolor rgb colour(i - 1) title spaced(word(legend, i)), \
     keyentry with lines linewidth 2 linecolor rgb "#212121" title "level", \
     keyentry with lines linewidth 2 linecolor rgb "#2e7d32" title "accepted level", \
     keyentry with lines dashtype 2 linewidth 1.6 linecolor rgb "#c62828" title "step", \
     keyentry with lines dashtype 2 linewidth 1.6 linecolor rgb "#6a1b9a" title "new driver", \
     keyentry with lines dashtype 2 linewidth 1.6 linecolor rgb "#757575" title "new GPU"
