# comparison.json -> data of latency.svg: latency percentiles, one panel per cell.
include "lib";

# input: a cell result
# output: [place, name, base, head] per statistic, ms
def statistics:
  .figures as $figures
  | [ ["avg", "p50", "p90", "p95", "p99"] | to_entries[]
      | .value as $name
      | [ .key, ($name | ltrimstr("p")),
          ($figures.base.latencyMs[$name] | number),
          ($figures.head.latencyMs[$name] | number) ] ];

# input: comparison.json
# output: one panel per cell that was measured
def panels:
  [ .cells[]
    | .rate as $rate
    | { title: "\(.cell.scenario | plain), \(.cell | load($rate))", key: urgency, rows: statistics }
    | select(drawable(2)) ];

12 as $most
| panels
| length as $count
| most_urgent($most)
| blocks($count | left_out($most; "cells"))
