# Stacked shares. Rows: y ROW label total.  Segments: y MARK colour from to.  Cases: y HEAD name.
set format x "%g %%"
if (!narrow) set label 3 "warp cycles per\nissued instruction" at screen 1 - (right - 10.0) / width, screen 1 - (top - 26.0) / height left font ",11" textcolor rgb "#757575"

plot data using (is(MARK, $4)):($1 + mark_y):4:5:($1 + mark_y - 0.38 * thin):($1 + mark_y + 0.38 * thin):(column(2) == MARK ? $3 : 0) with boxxyerror fillcolor rgb variable notitle, \
     data using (is(ROW, words_x)):($1 + words_y):4 with labels @words_at font ",11" textcolor rgb "#424242" notitle, \
     @names, @key
