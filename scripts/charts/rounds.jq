# comparison.json -> data of rounds.svg: the log ratio of every round as a change in percent, the allowed line, and
# the interval closing in; one panel per cell for the test that decides it.
include "lib";

# input: a test
# output: [round, change, estimate, low, high, line] per round, percent; NaN before the first look
def rounds:
  . as $test
  | (reduce .path[] as $look ({}; .["\($look.n)"] = $look)) as $looks
  | [ .logRatios | to_entries[]
      | (.key + 1) as $n
      | $looks["\($n)"] as $look
      | [ $n, (.value | exp | change), ($look.ratio | change), ($look.low | change), ($look.high | change),
          ($test.line | change) ] ];

# input: a test
# output: what it compares, in a word
def statistic: if .statistic == "qps" then "QPS" else .statistic end;

# input: comparison.json
# output: the overall test first where it has rounds, then one panel per cell with rounds
def panels:
  [ (.overall | select(. != null and (.logRatios | length) > 0)
      | { title: "all cells together, QPS", key: [-1], rows: rounds }),
    (.cells[]
      | . as $cell
      | deciding
      | select(. != null and (.logRatios | length) > 0)
      | { title: "\($cell.cell.scenario | plain), \($cell.rate as $rate | $cell.cell | load($rate)), \(statistic)",
          key: ($cell | urgency),
          rows: rounds }) ];

9 as $most
| panels
| length as $count
| most_urgent($most)
| blocks($count | left_out($most; "tests"))
