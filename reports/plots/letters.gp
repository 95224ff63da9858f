# Draws one word: gnuplot -c letters.gp png OUTPUT WORD. If two words give the same drawing,
# gnuplot draws no letters.
set terminal pngcairo noenhanced size 80, 24 font "DejaVu Sans,12"
set output ARG2
unset border
unset tics
unset key
set label 1 ARG3 at screen 0.1, screen 0.5 noenhanced
set xrange [0:1]
set yrange [0:1]
plot NaN
