# Stacked shares. Rows: y ROW label total.  Segments: y MARK - number from to.
# Cases: y HEAD name.  LEGEND names the segments.
terminal = ARG1; output = ARG2; data = ARG3; numbers = ARG4; title_text = ARG5; axis = ARG6; caption = ARG7; legend = ARG8
load ARG0[1:strlen(ARG0) - strlen("stalls.gp")] . "style.gp"

segments = words(legend)
# The colour of a reason is fixed. Warps that issue do not wait: they and the rest are pale.
colours = "barrier 0xad1457 branch_resolving 0xb39ddb dispatch 0x9ccc65 drain 0x283593 gmma 0x5d4037 imc_miss 0xbcaaa4 " \
    . "lg_throttle 0xf9a825 long_scoreboard 0x1565c0 math_pipe_throttle 0x2e7d32 membar 0x616161 mio_throttle 0xef6c00 " \
    . "misc 0x80cbc4 no_instruction 0xf48fb1 not_selected 0x00838f selected 0xdfe5e8 short_scoreboard 0x90caf9 sleeping 0x546e7a " \
    . "tex_throttle 0xffcc80 wait 0x6a1b9a other 0xbdbdbd"
# A word of the legend is a reason, followed by U+00A0 and its meaning.
reason(i) = word(legend, i + 1)[1:strstrt(word(legend, i + 1) . "\302\240", "\302\240") - 1]
place_of(reason) = sum [k = 1:words(colours) / 2] (word(colours, 2 * k - 1) eq reason ? 2 * k : 0)
# 0: not in the list; black.
colour(i) = place_of(reason(i)) == 0 ? 0x000000 : int(real(word(colours, place_of(reason(i)))))
set format x "%g %%"
set xlabel axis noenhanced font axis_font textcolor rgb "#424242"
set key at screen key_x(130.0), screen key_y left top Left reverse samplen 1.2 font ",11" noenhanced
if (!narrow) set label 3 "warp cycles per\nissued instruction" at screen 1 - (right - 10.0) / width, screen 1 - (top - 26.0) / height left font ",11" textcolor rgb "#757575"

plot for [i = 0:segments - 1] data using (is(MARK, $4 == i ? $5 : NaN)):($1 + mark_y):5:6:($1 + mark_y - 0.38 * thin):($1 + mark_y + 0.38 * thin) with boxxyerror \
         fillcolor rgb colour(i) title word(legend, i + 1), \
     data using (is(HEAD, x_low)):($1 + mark_y / 2):3 with labels @name_at font head_font textcolor rgb "#212121" notitle, \
     data using (is(ROW, x_low)):($1 + name_y):3 with labels @name_at font ",12" textcolor rgb "#616161" notitle, \
     data using (is(ROW, words_x)):($1 + words_y):4 with labels @words_at font ",11" textcolor rgb "#424242" notitle
