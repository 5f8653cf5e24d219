# Change of QPS against the reference in percent, with its interval, a series per point, one panel per scenario.
DATA = ARG1
OUT = ARG2
load "matrix.gp"
set multiplot
@legend_frame
set key maxrows 2
plot for [s = 1:series] NaN with points linestyle 10 + s title NAMES[s]
@panel_frame
set yrange [*:*]
set format y "%+g%%"
set xzeroaxis linestyle 4
do for [panel = 1:panels] {
  b = panel
  c = 1
  @read_text
  set title text_of noenhanced
  @place
  stats DATA index b every ::1 using (column(1)) nooutput
  set xrange [-0.5:STATS_max + 0.5]
  plot for [s = 1:series] DATA index b every ::1 \
    using (column(1) + dodge(s)):(column(3 * s)):(column(3 * s + 1)):(column(3 * s + 2)):xtic(2) \
    with yerrorbars linestyle 10 + s
}
unset multiplot
