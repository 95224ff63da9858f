# Points at time / limit; the limit is 1x. A thin line leads to the point, because a bar on a
# logarithmic axis has no length.
# Rows: y ROW label gap colour low high ceiling words.  Cases: y HEAD name words.
terminal = ARG1; output = ARG2; data = ARG3; numbers = ARG4; title_text = ARG5; axis = ARG6; caption = ARG7
load ARG0[1:strlen(ARG0) - strlen("gap.gp")] . "style.gp"

set logscale x 2
set format x "%gx"
set xlabel axis . " (ratio, logarithmic)" noenhanced font axis_font textcolor rgb "#424242"
set arrow 1 from 1, graph 0 to 1, graph 1 nohead linecolor rgb "#424242" linewidth 1.2 front

head_words_at = narrow ? "left" : "left offset char 1, 0"
row_words_at = narrow ? words_at : "left offset char 1.5, 0"

plot data using (1):(is(ROW, $1 + mark_y)):($4 - 1):(0) with vectors nohead linewidth 1 linecolor rgb "#cfd8dc", \
     data using (is(ROW, $8)):($1 + mark_y - 0.36 * thin):(0):(0.72 * thin) with vectors nohead linewidth 1.5 linecolor rgb "#ef6c00", \
     data using (is(ROW, $6)):($1 + mark_y):($7 - $6):(0):5 with vectors heads size screen 0.004, 90 linewidth 1.2 linecolor rgb variable, \
     data using (is(ROW, $4)):($1 + mark_y):5 with points pointtype 7 pointsize 0.9 linecolor rgb variable, \
     data using (is(HEAD, x_low)):($1 + name_y / 3):3 with labels @name_at font head_font textcolor rgb "#212121", \
     data using (is(HEAD, narrow ? x_low : 1)):($1 + mark_y):4 with labels @head_words_at font ",11" textcolor rgb "#757575", \
     data using (is(ROW, x_low)):($1 + name_y):3 with labels @name_at font ",12" textcolor rgb "#616161", \
     data using (is(ROW, narrow ? words_x : $7 > 1 ? $7 : $4 > 1 ? $4 : 1)):($1 + words_y):9 with labels @row_words_at font ",11" textcolor rgb "#424242"
