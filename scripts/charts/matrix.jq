# What the charts of a matrix share.
include "lib";

# Series and panels that fit.
def most_points: 8;
def most_scenarios: 12;

# input: matrix.json; f: from a cell of a point (or null) to the numbers of its series
# output: the data file: panels, note, series and their names in block 0; then one panel per scenario,
#         each row a load: place, label, numbers of every series
def panels(f):
  .points[0:most_points] as $points
  | (reduce .points[0].cells[].cell.scenario as $name ([]; if index([$name]) then . else . + [$name] end)) as $scenarios
  | [ $scenarios[0:most_scenarios][] as $name
      | { title: ($name | plain),
          rows: [ [.points[0].cells[].cell | select(.scenario == $name)] | sort_by(.level // 0) | to_entries[]
                  | .value as $cell
                  | [.key, ($cell | load(null))]
                    + ([$points[] | [.cells[] | select(.cell.id == $cell.id)][0] | f] | add) ] }
      | select(drawable(2)) ] as $panels
  | ([ if (.points | length) > most_points then "the first \(most_points) of \(.points | length) points" else empty end,
       if ($scenarios | length) > most_scenarios then "the first \(most_scenarios) of \($scenarios | length) scenarios" else empty end ]
     | if . == [] then " " else join(", ") + "; matrix.csv has all" end) as $note
  | ([($panels | length), $note, ($points | length)] + [$points[].name | plain] | row),
    ($panels[] | "", "", ([.title] | row), (.rows[] | row));
