# Points at time / limit; the limit is 1x. A thin line leads to the point, because a bar on a
# logarithmic axis has no length.
# Rows: y ROW label words gap colour low high ceiling.  Cases: y HEAD name words.
set logscale x 2
set format x "%gx"
set xlabel axis . " (ratio, logarithmic)"
set arrow 1 from 1, graph 0 to 1, graph 1 nohead linecolor rgb "#424242" linewidth 1.2 front
head_words_at = narrow ? "left" : "left offset char 1, 0"
row_words_at = narrow ? words_at : "left offset char 1.5, 0"

plot data using (1):(is(ROW, $1 + mark_y)):($5 - 1):(0) with vectors nohead linewidth 1 linecolor rgb "#cfd8dc" notitle, \
     data using (is(ROW, $9)):($1 + mark_y - 0.36 * thin):(0):(0.72 * thin) with vectors nohead linewidth 1.5 linecolor rgb "#ef6c00" notitle, \
     data using (is(ROW, $7)):($1 + mark_y):($8 - $7):(0):6 with vectors heads size screen 0.004, 90 linewidth 1.2 linecolor rgb variable notitle, \
     data using (is(ROW, $5)):($1 + mark_y):6 with points pointtype 7 pointsize 0.9 linecolor rgb variable notitle, \
     data using (is(HEAD, narrow ? x_low : 1)):($1 + mark_y):4 with labels @head_words_at font ",11" textcolor rgb "#757575" notitle, \
     data using (is(ROW, narrow ? words_x : $8 > 1 ? $8 : $5 > 1 ? $5 : 1)):($1 + words_y):4 with labels @row_words_at font ",11" textcolor rgb "#424242" notitle, \
     @names
