# A heat map. Rows: y ROW label.  Cells: y MARK words column colour text_colour.  Columns: 0 OTHER name column.  Cases: y HEAD name.
terminal = ARG1; output = ARG2; data = ARG3; numbers = ARG4; title_text = ARG5; axis = ARG6; caption = ARG7
load ARG0[1:strlen(ARG0) - strlen("moved.gp")] . "style.gp"

unset xtics
unset border
set grid noxtics
set xlabel axis . "\nred is more, blue is less" noenhanced font ",12" textcolor rgb "#424242"

plot data using (is(ROW, x_low)):1:(x_low):(x_high):($1 - 0.5):($1 + 0.5) with boxxyerror fillcolor rgb "#f5f5f5", \
     data using (is(MARK, $4 + 0.5)):1:4:($4 + 1):($1 - 0.5):($1 + 0.5):5 with boxxyerror fillcolor rgb variable, \
     data using (is(MARK, $4 + 0.5)):1:3:6 with labels center font ",11" textcolor rgb variable, \
     data using (is(OTHER, $4 + 0.4)):(0):3 with labels left rotate by 45 offset char 0.2, 0.4 font ",11" textcolor rgb "#212121", \
     data using (is(HEAD, x_low)):1:3 with labels right offset char -1, 0 font head_font textcolor rgb "#212121", \
     data using (is(ROW, x_low)):1:3 with labels right offset char -1, 0 font ",12" textcolor rgb "#616161"
