# Nightly runs of a series. Points: y POINT day low high gpu.
# Levels: y SPAN day days is_accepted.  Marks: lane MARK day colour is_right words.
# LEGEND has a word per GPU, with `_` for a blank, then =WORD for each kind of line.
terminal = ARG1; output = ARG2; data = ARG3; numbers = ARG4; title_text = ARG5; axis = ARG6; caption = ARG7; legend = ARG8
load ARG0[1:strlen(ARG0) - strlen("trend.gp")] . "style.gp"

POINT = 4
SPAN = 8
day = 86400.0
y_low = word(numbers, 10) + 0.0
y_top = word(numbers, 11) + 0.0
head = word(numbers, 14) + 0.0
line_height = (y_top - y_low) * 17.0 / (height - top - bottom - head)
y_high = y_top + line_height * head / 17.0
gpus = sum [i = 1:words(legend)] (word(legend, i)[1:1] eq "=" ? 0 : 1)
has(line) = strstrt(legend . " ", " =" . line . " ") > 0 ? 1 : 0
colours = "0x1565c0 0xef6c00 0x00838f 0xad1457 0x9e9d24 0x5d4037 0x9e9e9e" # the last one for unnamed GPUs
colour(i) = int(real(word(colours, int(i) + 1)))
# Replaces `_` by blanks.
spaced(s) = strstrt(s, "_") == 0 ? s : spaced(s[1:strstrt(s, "_") - 1] . " " . s[strstrt(s, "_") + 1:])

set xrange [x_low * day:x_high * day]
set yrange [y_low:y_high]
set border 3 linecolor rgb "#9e9e9e"
set xtics format (x_high - x_low < 0.02 ? "%H:%M:%S" : x_high - x_low < 5 ? "%H:%M\n%m-%d" : "%Y-%m-%d") timedate
set ytics out nomirror textcolor rgb "#424242" font ",11"
set format y "%+g %%"
set grid xtics ytics linecolor rgb "#eeeeee" linetype 1
at(part) = (x_low + part * (x_high - x_low)) * day
if (narrow) set xtics (at(0.15), at(0.5), at(0.85)) font ",10"
set style textbox opaque fillcolor rgb "#ffffff" noborder margins 0.5, 0.3
set label 4 axis at screen (narrow ? 12.0 : 22.0) / width, graph 0.5 center rotate noenhanced font axis_font textcolor rgb "#424242"
set key at screen key_x(14.0), screen key_y left top Left reverse samplen 1.2 spacing 1.3 font ",11" noenhanced

plot data using (is(MARK, $3) * day):(y_low):(0):(y_high - y_low):4 with vectors nohead dashtype 2 linewidth 1.6 linecolor rgb variable notitle, \
     data using (is(POINT, $3) * day):4:(0):($5 - $4):(column(2) == POINT ? colour($6) : 0) with vectors heads size screen 0.004, 90 \
         linewidth 1.2 linecolor rgb variable notitle, \
     data using (is(SPAN, $3) * day):1:($4 * day):(0):($5 > 0 ? 0x2e7d32 : 0x212121) with vectors nohead linewidth 2 \
         linecolor rgb variable notitle, \
     data using (is(POINT, $3) * day):1:(column(2) == POINT ? colour($6) : 0) with points pointtype 7 \
         pointsize (terminal eq "svg" ? 0.8 : 1.1) linecolor rgb variable notitle, \
     data using (is(MARK, $5 == 0 ? $3 : NaN) * day):(y_top + ($1 + 0.4) * line_height):6:4 with labels left boxed offset char 0.4, 0 \
         font ",10" textcolor rgb variable notitle, \
     data using (is(MARK, $5 == 1 ? $3 : NaN) * day):(y_top + ($1 + 0.4) * line_height):6:4 with labels right boxed offset char -0.4, 0 \
         font ",10" textcolor rgb variable notitle, \
     for [i = 1:gpus] keyentry with points pointtype 7 pointsize 0.8 linecolor rgb colour(i - 1) title spaced(word(legend, i)), \
     keyentry with lines linewidth 2 linecolor rgb "#212121" title "level", \
     for [i = 1:has("accepted")] keyentry with lines linewidth 2 linecolor rgb "#2e7d32" title "accepted level", \
     for [i = 1:has("step")] keyentry with lines dashtype 2 linewidth 1.6 linecolor rgb "#c62828" title "step", \
     for [i = 1:has("settled")] keyentry with lines dashtype 2 linewidth 1.6 linecolor rgb "#2e7d32" title "accepted step", \
     for [i = 1:has("driver")] keyentry with lines dashtype 2 linewidth 1.6 linecolor rgb "#6a1b9a" title "new driver", \
     for [i = 1:has("gpu")] keyentry with lines dashtype 2 linewidth 1.6 linecolor rgb "#757575" title "new GPU"
