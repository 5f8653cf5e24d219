# What the charts share: names made safe, numbers made plain, the choice of what fits on a page.

# input: a code point
# output: the columns it takes: two for East Asian letters and emoji
def columns:
  if (. >= 4352 and . <= 4447) or (. >= 11904 and . <= 42191) or (. >= 44032 and . <= 55203)
    or (. >= 63744 and . <= 64255) or (. >= 65072 and . <= 65135) or (. >= 65281 and . <= 65376)
    or (. >= 127744 and . <= 129791) or . >= 131072 then 2 else 1 end;

# input: any text
# output: the longest beginning that takes at most $most columns, with an ellipsis where something is gone
def cut($most):
  explode as $points
  | [foreach $points[] as $point (0; . + ($point | columns); .)] as $ends
  | if ($ends[-1] // 0) <= $most then .
    else ([$points[0:([$ends[] | select(. < $most)] | length)][]] | implode) + "…" end;

# input: any text
# output: one line of at most 34 columns without what gnuplot, its data files or SVG could take for syntax;
#         look-alikes stand in for quotes, backslashes, brackets, back-quotes and ampersands
def plain:
  [explode[]
    | if . < 32 or (. >= 127 and . < 160) or . == 173 or (. >= 8203 and . <= 8207) or (. >= 8232 and . <= 8238)
        or (. >= 8288 and . <= 8303) or . == 65279 or . == 65534 or . == 65535 then 32
      elif . == 34 or . == 96 then 39
      elif . == 92 then 8726
      elif . == 60 then 8249
      elif . == 62 then 8250
      elif . == 38 then 43
      else . end]
  | implode
  | gsub("\\s+"; " ")
  | ltrimstr(" ") | rtrimstr(" ")
  | cut(34)
  # gnuplot takes an empty field for missing data.
  | if . == "" then "(no name)" else . end;

# input: a number or null
# output: what gnuplot reads: the number to four decimals, or NaN for what was not measured
def number:
  if . == null then "NaN"
  elif type == "number" then (if isnan or isinfinite then "NaN" else (. * 10000 | round) / 10000 end)
  else error("not a number: \(tojson)") end;

# input: a ratio head/base or null
# output: the change in percent, or NaN
def change: if . == null then "NaN" else (. - 1) * 100 | number end;

# input: a cell of comparison.json with .model, .level
# output: its load in a word
def load($rate):
  if .model == "closed" then "\(.level // "?") VU" + (if .level == 1 then "" else "s" end)
  elif .model == "open" then "\((.level // $rate) | if . == null then "?" else floor end)/s"
  elif .model == "ramp" then "ramp \(.level // "?")"
  else error("unknown load model: \(.model | tojson)") end;

# input: a verdict
# output: how bad it is, 0 = worst
def severity:
  if . == "error" then 0
  elif . == "regression" then 1
  elif . == "inconclusive" then 2
  elif . == "new" or . == "shown" then 3
  elif . == "pass" then 4
  else error("unknown verdict: \(tojson)") end;

# input: a metric
# output: true where a larger ratio is worse
def larger_is_worse:
  if . == "latency" or . == "max-p99" then true
  elif . == "qps" or . == "min-qps" or . == "overall-qps" then false
  else error("unknown metric: \(tojson)") end;

# input: a metric
# output: true for a comparison with the base, false for an absolute limit of a cell
def against_base: if . == "min-qps" or . == "max-p99" then false else (larger_is_worse | true) end;

# input: a test with an estimate
# output: room between the bad end of its interval and its line, in margins; negative = beyond
def room:
  (.line | log) as $line
  | (if .metric | larger_is_worse then [.estimate.high, -1] else [.estimate.low, 1] end) as [$worst, $sign]
  | $sign * (($worst | log) - $line) / ([($line | fabs), 0.02] | max);

# input: a cell result
# output: its test with the worst verdict, then the least room, among those against the base; null where there is none
def deciding:
  [.tests[] | select(.metric | against_base)]
  | sort_by([(.verdict | severity), (if .estimate == null then 1e9 else room end)])
  | first;

# input: a cell result
# output: a key that sorts the worst and tightest first
def urgency: [(.verdict | severity), (deciding | if . == null or .estimate == null then 1e9 else room end)];

# input: an array of panels, each with .key
# output: at most $most of them, the most urgent, in their own order
def most_urgent($most):
  [to_entries[] | .value + { at: .key }]
  | sort_by(.key) | .[0:$most] | sort_by(.at);

# input: a panel
# output: true where there is a number to draw in the columns from $first on
def drawable($first): any(.rows[]; any(.[$first:][]; type == "number"));

# input: an array of cells of a table
# output: one line of TSV; gnuplot knows no quoting in fields, so none may be needed
def row: map(tostring) | if any(.[]; test("[\t\n\r]")) then error("a field with a tab or line break") else join("\t") end;

# input: an array of panels, each { title, rows }
# output: lines of a gnuplot data file: block 0 is the number of panels and a note, then one block per panel,
#         its title in the first line
def blocks($note):
  ([length, $note] | row),
  (.[] | "", "", ([.title] | row), (.rows[] | row));

# input: the number of things there are
# output: a note where not all of them fit
def left_out($shown; $what):
  if . > $shown then "\($shown) of \(.) \($what): the worst and the tightest; results.csv has all" else " " end;
