# A heat map. Rows: y ROW label.  Cells: y MARK words column colour text_colour.
# Columns: 0 OTHER name column.  Cases: y HEAD name.  Rows without cells: y WORDS words.
# LEGEND has the colours of four bars: a cause, worse, better, no direction.
terminal = ARG1; output = ARG2; data = ARG3; numbers = ARG4; title_text = ARG5; axis = ARG6; caption = ARG7; legend = ARG8
load ARG0[1:strlen(ARG0) - strlen("moved.gp")] . "style.gp"

WORDS = 5
STEPS = 5
unset xtics
unset border
set grid noxtics
# A narrow drawing shows the columns with the largest changes.
COLUMNS = 6
if (narrow && x_high > COLUMNS) {
    axis = axis . sprintf("; the first %d of %d columns", COLUMNS, x_high)
    x_high = COLUMNS
    set xrange [x_low:x_high]
}
names_at = narrow ? "rotate by 90 offset char 0.3, 0.4" : "rotate by 45 offset char 0.2, 0.4"
set xlabel axis noenhanced font axis_font textcolor rgb "#424242"

# The bars are in a line above the caption: boxes of 12 pixels, then the meaning of the colour.
bar_y = narrow ? caption_y + 16.0 : bottom - 62.0
bar_words = "cause worse better neither"
box_width = narrow ? 6.0 : 12.0
do for [bar = 1:4] {
    bar_x = 16.0 + (bar - 1) * (narrow ? 88.0 : 140.0)
    do for [step = 1:STEPS] {
        box = 10 * bar + step
        shade = word(legend, (bar - 1) * STEPS + step) + 0
        set object box rectangle from screen (bar_x + box_width * (step - 1)) / width, screen bar_y / height \
            to screen (bar_x + box_width * step) / width, screen (bar_y + 12.0) / height fillcolor rgb shade fillstyle solid noborder
    }
    set label 10 + bar word(bar_words, bar) at screen (bar_x + box_width * STEPS + 6.0) / width, screen (bar_y + 6.0) / height left \
        font ",11" textcolor rgb "#616161" noenhanced
}

plot data using (is(ROW, x_low)):($1 + mark_y):(x_low):(x_high):($1 + mark_y - 0.5 * thin):($1 + mark_y + 0.5 * thin) with boxxyerror fillcolor rgb "#f5f5f5", \
     data using (is(MARK, $4 < x_high ? $4 + 0.5 : NaN)):($1 + mark_y):4:($4 + 1):($1 + mark_y - 0.5 * thin):($1 + mark_y + 0.5 * thin):5 with boxxyerror fillcolor rgb variable, \
     data using (is(MARK, $4 < x_high ? $4 + 0.5 : NaN)):($1 + mark_y):3:6 with labels center font ",11" textcolor rgb variable, \
     data using (is(WORDS, x_low)):($1 + mark_y):3 with labels left offset char 1, 0 font ",11" textcolor rgb "#757575", \
     data using (is(OTHER, $4 < x_high ? $4 + 0.4 : NaN)):(0):3 with labels left @names_at font ",11" textcolor rgb "#212121", \
     data using (is(HEAD, x_low)):($1 + mark_y / 2):3 with labels @name_at font head_font textcolor rgb "#212121", \
     data using (is(ROW, x_low)):($1 + name_y):3 with labels @name_at font ",12" textcolor rgb "#616161"
