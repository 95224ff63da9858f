# A heat map. Rows: y ROW label.  Cells: y MARK words column colour text_colour.
# Columns: 0 COLUMN name column.  Cases: y HEAD name.  Rows without cells: y WORDS words.
unset xtics
unset border
set grid noxtics
# A narrow drawing shows the columns with the largest changes.
SHOWN = 6
if (narrow && x_high > SHOWN) {
    set xlabel axis . sprintf("; the first %d of %d columns", SHOWN, x_high)
    x_high = SHOWN
    set xrange [x_low:x_high]
}
names_at = narrow ? "rotate by 90 offset char 0.3, 0.4" : "rotate by 45 offset char 0.2, 0.4"

plot data using (is(ROW, x_low)):($1 + mark_y):(x_low):(x_high):($1 + mark_y - 0.5 * thin):($1 + mark_y + 0.5 * thin) with boxxyerror fillcolor rgb "#f5f5f5" notitle, \
     data using (is(MARK, $4 < x_high ? $4 + 0.5 : NaN)):($1 + mark_y):4:($4 + 1):($1 + mark_y - 0.5 * thin):($1 + mark_y + 0.5 * thin):5 with boxxyerror fillcolor rgb variable notitle, \
     data using (is(MARK, $4 < x_high ? $4 + 0.5 : NaN)):($1 + mark_y):3:6 with labels center font ",11" textcolor rgb variable notitle, \
     data using (is(WORDS, x_low)):($1 + mark_y):3 with labels left offset char 1, 0 font ",11" textcolor rgb "#757575" notitle, \
     data using (is(COLUMN, $4 < x_high ? $4 + 0.4 : NaN)):(0):3 with labels left @names_at font ",11" textcolor rgb "#212121" notitle, \
     @names, @key
