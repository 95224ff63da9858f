# Points with intervals on a tolerance band. All numbers are ratios.
# Rows: y ROW label words value low high colour band_low band_high accepted vendor.
# Other runs, and processes: y DOT value.  Cases: y HEAD name.
on(ratio) = x_log ? ratio : 100 * (ratio - 1)
at(line, ratio) = column(2) == line ? on(ratio) : NaN
x_low = on(x_low); x_high = on(x_high); words_x = on(words_x)
set xrange [x_low:x_high]
if (x_log) set logscale x 2
set format x x_log ? "%gx" : "%+g %%"
if (!x_log) set xtics add ("0 %%" 0)
set xlabel axis . (x_log ? " (ratio, logarithmic)" : " (%)")

plot data using (at(ROW, $9)):($1 + mark_y):(on($9)):(on($10)):($1 + mark_y - 0.5 * thin):($1 + mark_y + 0.5 * thin) with boxxyerror fillcolor rgb "#e3e8eb" notitle, \
     data using (on(1)):(0):(0):(rows) every ::0::0 with vectors nohead linewidth 1 linecolor rgb "#424242" notitle, \
     data using (is(ROW, words_x)):($1 + words_y):4 with labels @words_at font ",11" textcolor rgb "#424242" notitle, \
     data using (at(ROW, $11)):($1 + mark_y - 0.42 * thin):(0):(0.84 * thin) with vectors nohead linewidth 1.4 linecolor rgb "#212121" notitle, \
     data using (at(DOT, $3)):($1 + mark_y) with points pointtype 6 pointsize 0.7 linewidth 1.4 linecolor rgb "#616161" notitle, \
     data using (at(ROW, $5)):($1 + mark_y):(on($6)):(on($7)):8 with xerrorbars pointtype 7 pointsize 0.1 linewidth 2 linecolor rgb variable notitle, \
     data using (at(ROW, $12 == 0 ? $5 : NaN)):($1 + mark_y):8 with points pointtype 7 pointsize 0.8 linecolor rgb variable notitle, \
     data using (at(ROW, $12 == 1 ? $5 : NaN)):($1 + mark_y):8 with points pointtype 13 pointsize 0.9 linecolor rgb variable notitle, \
     @names
