# Draws two words into files of their names, in a folder. If the drawings are equal, gnuplot draws
# no letters.
set terminal pngcairo noenhanced size 80, 24 font "DejaVu Sans,12"
unset border
unset tics
unset key
set xrange [0:1]
set yrange [0:1]
do for [file in "iii WWW"] {
    set output file
    set label 1 file at screen 0.1, screen 0.5
    plot NaN
}
