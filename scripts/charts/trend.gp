# QPS and tail latency of a cell over time: each commit with the interval of its rounds, levels, and the steps between.
DATA = ARG1
OUT = ARG2
columns = 1
width = 1080
load "common.gp"
set multiplot
@legend_frame
plot NaN with points linestyle 1 pointtype 7 pointsize 0.5 title "one commit", \
  NaN with filledcurves linecolor rgb BASE title "interval of its rounds", \
  NaN with lines linestyle 2 linewidth 2.4 title "level", NaN with lines linestyle 3 title "step"
@panel_frame
set format y "%g"
set format x "%Y-%m-%d" timedate
do for [panel = 1:panels] {
  b = panel
  i = 4 * panel - 3
  stats DATA index i using (text_of = strcol(1), low = column(2), high = column(3), first = column(4), \
    last = column(5), 1) nooutput
  set title text_of noenhanced
  @place
  # At most eight dates, each at its midnight.
  days = ceil((last - first) / 86400.0 / 8)
  set xtics 86400 * days
  set xrange [first:last]
  set yrange [low:high]
  stats DATA index i + 1 using 2 nooutput
  size = STATS_records > 150 ? 0.25 : 0.5
  plot DATA index i + 1 using 1:3:4 with filledcurves linecolor rgb BASE, \
    0 with lines linestyle 4, \
    "" index i + 3 using 1:(low):(0):(high - low) with vectors nohead linestyle 3, \
    "" index i + 1 using 1:2 with points linestyle 1 pointtype 7 pointsize size, \
    "" index i + 2 using 1:3:($2 - $1):(0) with vectors nohead linestyle 2 linewidth 2.4
}
unset multiplot
