# matrix.json -> data of matrix-qps.svg: QPS over load level, a line per point, one panel per scenario.
include "lib";
include "matrix";

panels([.figures.qps // null | number])
