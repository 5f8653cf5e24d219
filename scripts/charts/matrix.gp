# What the charts of a matrix share: the series' names, their styles and the legend. Set up before common.gp is loaded.
array NAMES[8]
series = 0
set datafile separator "\t"
set datafile commentschars ""
stats DATA index 0 every ::0::0 using (series = int(column(3)), 1) nooutput
# Two rows of names.
top = series > 3 ? 48.0 : 30.0
load "common.gp"
b = 0
do for [s = 1:series] {
  c = 3 + s
  @read_text
  NAMES[s] = text_of
}
# Okabe-Ito, lightened as the arms' colours; shape tells them apart as well.
array COLOURS[8] = ["#3d8ec9", "#e0701a", "#c8408a", "#2f9e77", "#b58900", "#7a6fd0", "#5fb0d8", "#8a8d90"]
array SHAPES[8] = [6, 7, 4, 5, 8, 9, 12, 13]
do for [s = 1:8] {
  set style line 10 + s linecolor rgb COLOURS[s] linewidth 1.6 pointtype SHAPES[s] pointsize 0.6
}
# So that points and bars of one load do not hide each other.
dodge(s) = (s - (series + 1) / 2.0) * 0.09
