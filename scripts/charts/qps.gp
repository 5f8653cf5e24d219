# QPS over load level, one panel per scenario; the bars are the interval of the ratio, on the base's QPS.
DATA = ARG1
OUT = ARG2
load "common.gp"
set multiplot
@legend_frame
plot NaN with linespoints linestyle 1 title "base", \
  NaN with linespoints linestyle 2 title "head and its interval"
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
  plot DATA index b every ::1 using 1:3:xtic(2) with linespoints linestyle 1, \
    "" index b every ::1 using 1:5:6 with filledcurves linecolor rgb HEAD, \
    "" index b every ::1 using 1:5:(0):($6 - $5) with vectors nohead linestyle 2, \
    "" index b every ::1 using 1:4 with linespoints linestyle 2
}
unset multiplot
