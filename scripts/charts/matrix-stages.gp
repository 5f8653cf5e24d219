# What each stage adds to the one before, as bars from where that one ends: CPU time per request, and change of QPS.
DATA = ARG1
OUT = ARG2
columns = 2
width = 1080
load "common.gp"
set style fill solid 0.75 noborder
set style line 5 linecolor rgb LINE dashtype 1 linewidth 2
set multiplot
@legend_frame
plot NaN with boxes linecolor rgb BASE title "the first stage", \
  NaN with boxes linecolor rgb HEAD title "what a stage adds", \
  NaN with lines linestyle 5 title "its interval"
@panel_frame
set yrange [*:*]
set format y "%g"
set xtics font ",10"
do for [panel = 1:panels] {
  b = panel
  c = 1
  @read_text
  set title text_of noenhanced
  @place
  stats DATA index b every ::1 using (column(1)) nooutput
  set xrange [-0.6:STATS_max + 0.6]
  # More names than fit side by side.
  if (STATS_max > 7) { set xtics rotate by -20 }
  plot DATA index b every ::1 using 1:(0):xtic(2) with lines linestyle 4, \
    "" index b every ::1::1 using 1:3:($1 - 0.32):($1 + 0.32):3:4 with boxxyerror linecolor rgb BASE, \
    "" index b every ::2 using 1:3:($1 - 0.32):($1 + 0.32):3:4 with boxxyerror linecolor rgb HEAD, \
    "" index b every ::2 using 1:5:(0):($6 - $5) with vectors nohead linestyle 5
}
unset multiplot
