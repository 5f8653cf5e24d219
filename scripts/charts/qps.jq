# comparison.json -> data of qps.svg: QPS over load level, one panel per scenario.
include "lib";

# input: a cell result
# output: [load, base, head, low, high]; head and its interval are base times the ratio and its interval
def point:
  (first(.tests[] | select(.metric == "qps")) // null) as $test
  | ($test.base // .figures.base.qps) as $base
  | (if $test.estimate != null and $base != null then $test.estimate else null end) as $estimate
  | [ (.rate as $rate | .cell | load($rate)),
      ($base | number),
      (if $estimate then $base * $estimate.ratio else $test.head // .figures.head.qps end | number),
      (if $estimate then $base * $estimate.low else null end | number),
      (if $estimate then $base * $estimate.high else null end | number) ];

# input: comparison.json
# output: one panel per scenario that was measured, in plan order
def panels:
  [.cells[].cell.scenario] as $names
  | (reduce $names[] as $name ([]; if index([$name]) then . else . + [$name] end)) as $scenarios
  | (.cells | group_by(.cell.scenario) | map({ key: .[0].cell.scenario, value: . }) | from_entries) as $cells
  | [ $scenarios[]
      | . as $name
      | { title: plain,
          key: ([$cells[$name][] | urgency] | min),
          rows: [$cells[$name] | sort_by(.cell.level // 0) | to_entries[] | [.key] + (.value | point)] }
      | select(drawable(2)) ];

12 as $most
| panels
| length as $count
| most_urgent($most)
| blocks($count | left_out($most; "scenarios"))
