# Points with intervals on a tolerance band.
# Rows: y ROW label value low high colour band_low band_high accepted vendor words.
# Other runs: y OTHER - value.  Cases: y HEAD name.
terminal = ARG1; output = ARG2; data = ARG3; numbers = ARG4; title_text = ARG5; axis = ARG6; caption = ARG7
load ARG0[1:strlen(ARG0) - strlen("interval.gp")] . "style.gp"

if (x_log) {
    set logscale x 2
    set format x "%gx"
    one = 1
    set xlabel axis . " (ratio, logarithmic)" noenhanced font axis_font textcolor rgb "#424242"
} else {
    set format x "%+g %%"
    set xtics add ("0 %%" 0)
    one = 0
    set xlabel axis . " (%)" noenhanced font axis_font textcolor rgb "#424242"
}

plot data using (is(ROW, $8)):($1 + mark_y):8:9:($1 + mark_y - 0.5 * thin):($1 + mark_y + 0.5 * thin) with boxxyerror fillcolor rgb "#e3e8eb", \
     data using (one):(0):(0):(rows) every ::0::0 with vectors nohead linewidth 1 linecolor rgb "#424242", \
     data using (is(HEAD, x_low)):($1 + mark_y / 2):3 with labels @name_at font head_font textcolor rgb "#212121", \
     data using (is(ROW, x_low)):($1 + name_y):3 with labels @name_at font ",12" textcolor rgb "#616161", \
     data using (is(ROW, words_x)):($1 + words_y):12 with labels @words_at font ",11" textcolor rgb "#424242", \
     data using (is(ROW, $10)):($1 + mark_y - 0.42 * thin):(0):(0.84 * thin) with vectors nohead linewidth 1.4 linecolor rgb "#212121", \
     data using (is(OTHER, $4)):($1 + mark_y) with points pointtype 6 pointsize (terminal eq "svg" ? 0.6 : 0.9) linewidth 1.4 linecolor rgb "#616161", \
     data using (is(ROW, $4)):($1 + mark_y):5:6:7 with xerrorbars pointtype 7 pointsize 0.1 linewidth 2 linecolor rgb variable, \
     data using (is(ROW, $11 == 0 ? $4 : NaN)):($1 + mark_y):7 with points pointtype 7 pointsize (terminal eq "svg" ? 0.65 : 0.9) linecolor rgb variable, \
     data using (is(ROW, $11 == 1 ? $4 : NaN)):($1 + mark_y):7 with points pointtype 13 pointsize (terminal eq "svg" ? 0.7 : 1.0) linecolor rgb variable
