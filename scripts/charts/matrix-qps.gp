# QPS over load level, a line per point of the matrix, one panel per scenario.
DATA = ARG1
OUT = ARG2
load "matrix.gp"
set multiplot
@legend_frame
set key maxrows 2
plot for [s = 1:series] NaN with linespoints linestyle 10 + s title NAMES[s]
@panel_frame
set yrange [0:*]
set format y "%g"
do for [panel = 1:panels] {
  b = panel
  c = 1
  @read_text
  set title text_of noenhanced
  @place
  stats DATA index b every ::1 using (column(1)) nooutput
  set xrange [-0.5:STATS_max + 0.5]
  plot for [s = 1:series] DATA index b every ::1 using 1:(column(2 + s)):xtic(2) with linespoints linestyle 10 + s
}
unset multiplot
