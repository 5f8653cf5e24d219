# Rules of one condition each: runs with a false red, and runs in which plants were found. ARG1 = data of replay.ts,
# ARG2 = SVG. A block of the data is a recording: its name, then per rule its place, name, and three shares in percent.
set datafile separator "\t"
set datafile commentschars ""
stats ARG1 using 1 nooutput
panels = STATS_blocks
rules = int(STATS_max)

BASE = "#3d8ec9"
HEAD = "#e0701a"
INK = "#808182"
FAINT = "#808183"
top = 34.0
panel = rules * 19.0 + 62.0
width = 860.0
height = top + panels * panel
set terminal svg size width, height fixed noenhanced font "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif,12" linewidth 1.2
set output ARG2

set multiplot
set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 1 - top / height
unset border; unset tics
set key center center horizontal maxrows 1 samplen 1 width 1 textcolor rgb INK
set xrange [0:1]; set yrange [0:1]
plot NaN with points pointtype 5 pointsize 0.9 linecolor rgb HEAD title "unchanged, yet red", \
  NaN with points pointtype 6 pointsize 0.9 linecolor rgb BASE title "-5% found", \
  NaN with points pointtype 7 pointsize 0.9 linecolor rgb BASE title "-10% found"

unset key
set border 1 linecolor rgb FAINT
set grid xtics ytics linecolor rgb FAINT dashtype 3 linewidth 0.5
set format x "%g%%"
set xtics 20 nomirror textcolor rgb INK scale 0.5
set ytics nomirror textcolor rgb INK scale 0
set title offset 0, -0.5 textcolor rgb INK
do for [b = 0:panels - 1] {
  name = ""
  set autoscale
  stats ARG1 index b every ::0::0 using (name = strcol(2), 1) nooutput
  set title name noenhanced
  set xrange [-2:102]
  set yrange [rules + 0.6:0.4]
  set lmargin at screen 410.0 / width; set rmargin at screen 1 - 24.0 / width
  set tmargin at screen 1 - (top + b * panel + 24.0) / height
  set bmargin at screen 1 - (top + (b + 1) * panel - 30.0) / height
  plot ARG1 index b every ::1 using 4:1:ytic(2) with points pointtype 6 pointsize 0.9 linecolor rgb BASE, \
    "" index b every ::1 using 5:1 with points pointtype 7 pointsize 0.9 linecolor rgb BASE, \
    "" index b every ::1 using 3:1 with points pointtype 5 pointsize 0.9 linecolor rgb HEAD
}
unset multiplot
