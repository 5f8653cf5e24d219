# Shared by all charts: size, colours, text. DATA = data file, OUT = SVG to write: set by each chart, as load hides
# the arguments; columns of panels and width in pixels where a chart knows better.
# Foreign text comes out of the data file as strings (strcol) and is never parsed: no interpolation, no markup.

set datafile separator "\t"
set datafile commentschars ""
set datafile missing "NaN"

# A text of block b, first line, column c.
text_of = ""
read_text = 'stats DATA index b every ::0::0 using (text_of = strcol(c), 1) nooutput'

panels = 0
stats DATA index 0 every ::0::0 using (panels = int(column(1)), 1) nooutput
b = 0
c = 2
@read_text
note = text_of

if (!exists("columns")) columns = panels < 3 ? panels : 3
lines = (panels + columns - 1) / columns
# One panel alone is drawn wider than a third, but not over the full width.
if (!exists("width")) width = columns == 1 ? 680 : columns == 2 ? 860 : 1080
if (!exists("top")) top = 30.0
row = 248.0
bottom = strlen(note) > 1 ? 26.0 : 4.0
height = top + bottom + lines * row

# Blue and vermilion of the Okabe-Ito palette, lightened so that both hold on white and on near-black. The arms
# differ in shape and dash as well. Greys are replaced by charts.sh, as text must follow the page.
BASE = "#3d8ec9"
HEAD = "#e0701a"
LINE = "#c8408a"
INK = "#808182"
FAINT = "#808183"

set terminal svg size width, height fixed noenhanced font "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif,12" linewidth 1.2
set output OUT
set border 3 linecolor rgb FAINT
set grid ytics linecolor rgb FAINT dashtype 3 linewidth 0.5
set title offset 0, -0.5 textcolor rgb INK
set style fill transparent solid 0.22 noborder

set style line 1 linecolor rgb BASE dashtype 2 linewidth 1.8 pointtype 6 pointsize 0.95
set style line 2 linecolor rgb HEAD dashtype 1 linewidth 1.8 pointtype 7 pointsize 0.5
set style line 3 linecolor rgb LINE dashtype 4 linewidth 1.4
set style line 4 linecolor rgb FAINT dashtype 1 linewidth 1

# Where panel b stands, as margins of the screen.
place = 'set lmargin at screen ((b - 1) % columns * width / columns + 58.0) / width; '.\
  'set rmargin at screen (((b - 1) % columns + 1) * width / columns - 16.0) / width; '.\
  'set tmargin at screen 1 - (top + (b - 1) / columns * row + 30.0) / height; '.\
  'set bmargin at screen 1 - (top + (b - 1) / columns * row + 214.0) / height'

set label 1 note at screen 0.5, screen 12.0 / height center noenhanced textcolor rgb INK font ",11"

# The legend is a plot of its own over the full width: inside a panel it would have to fit the panel.
legend_frame = 'set lmargin at screen 0; set rmargin at screen 1; '.\
  'set tmargin at screen 1; set bmargin at screen 1 - top / height; unset border; unset tics; unset grid; '.\
  'set key center center horizontal maxrows 1 samplen 3 width 1 textcolor rgb INK; set xrange [0:1]; set yrange [0:1]'
panel_frame = 'unset key; unset label 1; set border 3; set grid ytics; '.\
  'set xtics nomirror textcolor rgb INK scale 0.5; set ytics nomirror textcolor rgb INK scale 0.5'
