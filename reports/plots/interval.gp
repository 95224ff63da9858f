# Points with intervals on a tolerance band.
# Rows: y ROW label value low high colour band_low band_high accepted vendor words.  Other runs: y
# OTHER - value.  Cases: y HEAD name.
terminal = ARG1; output = ARG2; data = ARG3; numbers = ARG4; title_text = ARG5; axis = ARG6; caption = ARG7
load ARG0[1:strlen(ARG0) - strlen("interval.gp")] . "style.gp"

if (x_log) {
    set logscale x 2
    set format x "%gx"
    one = 1
    set xlabel axis . " (ratio, logarithmic)" noenhanced font ",12" textcolor rgb "#424242"
} else {
    set format x "%+g %%"
    set xtics add ("0 %%" 0)
    one = 0
    set xlabel axis . " (%)" noenhanced font ",12" textcolor rgb "#424242"
}

plot data using (is(ROW, $8)):1:8:9:($1 - 0.5):($1 + 0.5) with boxxyerror fillcolor rgb "#e3e8eb", \
     data using (one):(0):(0):(rows) every ::0::0 with vectors nohead linewidth 1 linecolor rgb "#424242", \
     data using (is(HEAD, x_low)):1:3 with labels right offset char -1, 0 font head_font textcolor rgb "#212121", \
     data using (is(ROW, x_low)):1:3 with labels right offset char -1, 0 font ",12" textcolor rgb "#616161", \
     data using (is(ROW, x_high)):1:12 with labels left offset char 1, 0 font ",11" textcolor rgb "#424242", \
     data using (is(ROW, $10)):($1 - 0.32):(0):(0.64) with vectors nohead linewidth 1.6 linecolor rgb "#212121", \
     data using (is(OTHER, $4)):1 with points pointtype 6 pointsize 0.8 linecolor rgb "#9e9e9e", \
     data using (is(ROW, $4)):1:5:6:7 with xerrorbars pointtype 7 pointsize 0.1 linewidth 2 linecolor rgb variable, \
     data using (is(ROW, $11 == 0 ? $4 : NaN)):1:7 with points pointtype 7 pointsize 0.9 linecolor rgb variable, \
     data using (is(ROW, $11 == 1 ? $4 : NaN)):1:7 with points pointtype 13 pointsize 1.3 linecolor rgb variable
