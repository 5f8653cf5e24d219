# matrix.json -> data of matrix-change.svg: change of QPS against the reference and its interval, a series per point
# but the reference, one panel per scenario.
include "lib";
include "matrix";

if (.points | length) < 2 then [0, " "] | row
else .points |= .[1:] | panels(.qps | [(.ratio // null), (.low // null), (.high // null)] | map(change))
end
