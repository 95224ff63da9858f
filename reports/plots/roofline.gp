# Points below roofs, both axes logarithmic. Points: y POINT x colour marker size.
# Labels of points: y WORDS x colour words.
# Line through a case's points: y SPAN x dx dy colour.
# Roofs: y PEAK|CEILING corner has_slope has_level words.
# Words of the slope: y SLOPE_WORDS corner words.
stats data using (is(POINT, $3)):1 name "point" nooutput
stats data using (is(PEAK, $3)):1 name "roof" nooutput
x_low = point_min_x < roof_min_x / 4 ? point_min_x : roof_min_x / 4
x_high = max(point_max_x, 1.5 * roof_max_x)
room = (x_high / x_low) ** 0.07
x_low = x_low / room
x_high = x_high * room
y_high = max(point_max_y, roof_max_y)
room = (y_high / point_min_y) ** 0.07
y_low = point_min_y / room
y_high = y_high * room
set xrange [x_low:x_high]
set yrange [y_low:y_high]
x_right = x_high / (x_high / x_low) ** 0.15
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
if (!narrow) set label 3 "arithmetic, flop per second (logarithmic)" at screen 20.0 / width, graph 0.5 center rotate by 90 font ",12" textcolor rgb "#424242"
# The foot of a slope is at the left end of the axis, or at the lower.
foot(corner, y) = max(x_low, y_low * corner / y)
slope = 'using 3:(is(kind, $4 == 1 ? $1 : NaN)):(foot($3, $1) - $3):($1 * foot($3, $1) / $3 - $1) with vectors nohead'
level = 'using 3:(is(kind, $5 == 1 ? $1 : NaN)):(x_high - $3):(0) with vectors nohead'
peak = 'linecolor rgb 0x424242 linewidth 1.6 notitle'
measured = 'linecolor rgb 0xb26a00 linewidth 1.4 dashtype 2 notitle'

plot for [kind = CEILING:CEILING] data @slope @measured, for [kind = CEILING:CEILING] data @level @measured, \
     for [kind = PEAK:PEAK] data @slope @peak, for [kind = PEAK:PEAK] data @level @peak, \
     data using 3:(is(SPAN, $1)):4:5:6 with vectors nohead linewidth 0.8 linecolor rgb variable notitle, \
     data using 3:(is(POINT, $1)):6:5:4 with points pointsize variable pointtype variable linecolor rgb variable notitle, \
     data using 3:(is(WORDS, $3 < x_right ? $1 : NaN)):5:4 with labels left offset char 0.9, 0 font ",11" textcolor rgb variable notitle, \
     data using 3:(is(WORDS, $3 < x_right ? NaN : $1)):5:4 with labels right offset char -0.9, 0 font ",11" textcolor rgb variable notitle, \
     data using (is(SLOPE_WORDS, foot($3, $1) * ($3 / foot($3, $1)) ** 0.85)):($1 * (foot($3, $1) / $3) ** 0.15):(narrow ? "" : strcol(4)) \
         with labels right offset char -0.5, 0.7 font ",10" textcolor rgb "#757575" notitle, \
     data using (is(PEAK, x_high)):1:6 with labels right offset char -0.5, 0.7 font ",10" textcolor rgb "#757575" notitle, \
     @key
