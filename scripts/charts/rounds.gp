# Change of every round in percent, the allowed line, and the interval as it closes in.
DATA = ARG1
OUT = ARG2
load "common.gp"
set multiplot
@legend_frame
plot NaN with points linestyle 1 title "one round", NaN with lines linestyle 3 title "allowed", \
  NaN with linespoints linestyle 2 title "estimate so far", \
  NaN with filledcurves linecolor rgb HEAD title "its interval"
@panel_frame
set yrange [*:*]
set offsets 0, 0, graph 0.06, graph 0.06
set format y "%g%%"
do for [panel = 1:panels] {
  b = panel
  c = 1
  @read_text
  set title text_of noenhanced
  @place
  stats DATA index b every ::1 using (column(1)) nooutput
  most = STATS_max < 6 ? 6 : STATS_max
  step = most > 12 ? 4 : 2
  set xrange [0.5:most + 0.5]
  set xtics 0, step
  plot DATA index b every ::1 using 1:4:5 with filledcurves linecolor rgb HEAD, \
    0 with lines linestyle 4, \
    "" index b every ::1 using 1:6 with lines linestyle 3, \
    "" index b every ::1 using 1:4:(0):($5 - $4) with vectors nohead linestyle 2 linewidth 0.6, \
    "" index b every ::1 using 1:3 with linespoints linestyle 2, \
    "" index b every ::1 using 1:2 with points linestyle 1
}
unset multiplot
