# matrix.json -> data of matrix-stages.svg: what each stage adds to the one before, in CPU time per request and in QPS;
# two panels per cell.
include "lib";

# Cells that fit.
def most_cells: 6;

# input: a stage
# output: its name on an axis
def axis_name: .stage | plain | cut(10);

# input: the stages of a cell in their order
# output: [place, name, lower and upper end of the bar, ends of its interval] per stage, ms; the first stands on zero
def cpu:
  . as $stages
  | [ to_entries[]
      | .key as $at
      | .value as $stage
      | (if $at == 0 then 0 else $stages[$at - 1].cpuMs end) as $before
      | [$at, ($stage | axis_name)]
        + (if $before == null or $stage.cpuMs == null then [null, null] else [$before, $stage.cpuMs] | sort end | map(number))
        + ([$stage.addedCpuMs.low, $stage.addedCpuMs.high]
           | map(if . == null or $before == null then null else $before + . end | number)) ];

# input: the stages of a cell in their order
# output: the same of the change of QPS against the stage before, percent
def qps:
  [ to_entries[]
    | .value.qps as $effect
    | [.key, (.value | axis_name)]
      + (if $effect == null then [null, null] | map(number) else [0, ($effect.ratio | change)] | sort end)
      + ([$effect.low, $effect.high] | map(change)) ];

.stages as $stages
| (reduce $stages[].cell as $cell ([]; if index([$cell]) then . else . + [$cell] end)) as $cells
| [ $cells[0:most_cells][] as $cell
    | [$stages[] | select(.cell == $cell)]
    | { title: "\($cell | plain): CPU ms per request", rows: cpu },
      { title: "\($cell | plain): QPS change, %", rows: qps }
    | select(drawable(2)) ]
| blocks($cells | length | if . > most_cells then "the first \(most_cells) of \(.) cells; matrix.md has all" else " " end)
