# A cell of a trend -> data of its chart: per panel four blocks, a header, the points of each line, levels, steps.
include "lib";

# input: an array of numbers, null for what is not known
# output: one line of TSV
def numbers: map(number) | join("\t");

# input: an array of rows
# output: their lines; one of NaN where there is none, as gnuplot plots no empty block
def lines($columns): if length == 0 then [range($columns) | null] | numbers else .[] | numbers end;

[.panels[].points[][][0]] as $times
| ($times | min) as $first
| ($times | max) as $last
# Half a night of room on both sides, more where there are many.
| ([43200, ($last - $first) / 60] | max) as $room
| ([(.panels | length), " "] | row),
  ( .panels[]
    | "", "", ([.title, .low, .high, $first - $room, $last + $room] | row),
      "", "", ([.points[] | [lines(4)] | join("\n")] | join("\n\n")),
      "", "", (.levels | lines(3)),
      "", "", (.steps | lines(1)) )
