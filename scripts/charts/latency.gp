# Latency in ms: mean and percentiles, one panel per cell.
DATA = ARG1
OUT = ARG2
load "common.gp"
set multiplot
@legend_frame
plot NaN with linespoints linestyle 1 title "base, ms", NaN with linespoints linestyle 2 title "head, ms"
@panel_frame
set yrange [0:*]
set xrange [-0.4:4.4]
set format y "%g"
do for [panel = 1:panels] {
  b = panel
  c = 1
  @read_text
  set title text_of noenhanced
  @place
  plot DATA index b every ::1 using 1:3:xtic(2) with linespoints linestyle 1, \
    "" index b every ::1 using 1:4 with linespoints linestyle 2
}
unset multiplot
