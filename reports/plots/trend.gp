# Nightly runs of a series. Points: y POINT day low high colour.
# Levels: y SPAN day days colour.  Marks: height MARK day colour number.
day = 86400.0
stats data using (column(2) == POINT ? $4 : 0) name "low" nooutput
stats data using (column(2) == POINT ? $5 : 0) name "high" nooutput
high_max = max(high_max, 0)
low_min = low_min < 0 ? low_min : 0
room = max(0.1 * (high_max - low_min), 0.2)
y_low = low_min - room
y_high = high_max + 2 * room
set xrange [x_low * day:x_high * day]
set yrange [y_low:y_high]
set border 3 linecolor rgb "#9e9e9e"
set xtics format (x_high - x_low < 0.02 ? "%H:%M:%S" : x_high - x_low < 5 ? "%H:%M\n%m-%d" : "%Y-%m-%d") timedate
set ytics out nomirror textcolor rgb "#424242" font ",11"
set format y "%+g %%"
set ytics add ("0 %%" 0)
set grid xtics ytics linecolor rgb "#eeeeee" linetype 1
at(part) = (x_low + part * (x_high - x_low)) * day
if (narrow) set xtics (at(0.15), at(0.5), at(0.85)) font ",10"
set style textbox opaque fillcolor rgb "#ffffff" noborder margins 0.5, 0.3
unset xlabel
set label 4 axis at screen (narrow ? 12.0 : 22.0) / width, graph 0.5 center rotate noenhanced font (narrow ? ",10" : ",12") textcolor rgb "#424242"

plot data using (x_low * day):(0):((x_high - x_low) * day):(0) every ::0::0 with vectors nohead linewidth 1 linecolor rgb "#9e9e9e" notitle, \
     data using (is(MARK, $3) * day):(y_low):(0):(y_high - y_low):4 with vectors nohead dashtype 2 linewidth 1.6 linecolor rgb variable notitle, \
     data using (is(POINT, $3) * day):4:(0):($5 - $4):6 with vectors heads size screen 0.004, 90 linewidth 1.2 linecolor rgb variable notitle, \
     data using (is(SPAN, $3) * day):1:($4 * day):(0):5 with vectors nohead linewidth 2 linecolor rgb variable notitle, \
     data using (is(POINT, $3) * day):1:6 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle, \
     data using (is(MARK, $3) * day):(y_high - (0.4 + 0.6 * $1) * room):5:4 with labels center boxed font ",11" textcolor rgb variable notitle, \
     @key
