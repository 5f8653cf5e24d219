import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/load.ts";

const parse = (text: string) => parseConfig(text, { file: "m.yml", directory: "/app", isFile: () => true });

function complaintAbout(matrix: string, rest = ""): string {
  try {
    parse(`matrix: ${matrix}\n${rest}`);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}

test("a matrix has a reference application, a design, rounds and factors; text stays as it was written", () => {
  const { matrix } = parse(`matrix:
  tree: ../app
  design: one-at-a-time
  rounds: 6
  timings: true
  factors:
    version: { new: { env: { V: 8.10 } }, old: { php: { ini: { precision: 014 } } } }
`);
  expect(matrix).toEqual({
    tree: "../app",
    design: "one-at-a-time",
    rounds: 6,
    timings: true,
    factors: {
      version: {
        new: { env: { V: "8.10" }, php: {}, links: {} },
        old: { env: {}, php: { ini: { precision: "014" } }, links: {} },
      },
    },
  });
  expect(parse("matrix:\n").matrix).toEqual({ tree: null, design: "full", rounds: 8, factors: {} });
  expect(parse("")).not.toHaveProperty("matrix");
});

test("stages are the levels of one factor", () => {
  expect(parse("matrix: {design: stages, factors: {stage: {one: {}, two: {env: {A: 1}}}}}").matrix).toMatchObject({
    design: "stages",
  });
});

test.each([
  ["{factor: {}}", "", 'matrix: unknown key "factor". Did you mean factors?'],
  ["{rounds: 2}", "", "matrix.rounds: expected"],
  ["{design: each}", "", 'matrix.design: expected one of full, one-at-a-time, stages; got "each"'],
  [
    "{design: stages}",
    "",
    "m.yml:1:18: matrix.design: expected one factor with two or more levels beside design: stages; got 0 factors. Make one factor of all stages, or write design: full.",
  ],
  [
    "{design: stages, factors: {a: {x: {}, y: {}}, b: {x: {}, y: {}}}}",
    "",
    "matrix.design: expected one factor with two or more levels beside design: stages; got 2 factors.",
  ],
  [
    "{design: stages, factors: {a: {x: {}}}}",
    "",
    "matrix.design: expected one factor with two or more levels beside design: stages; got one with 1.",
  ],
  ["{timings: connect}", "", 'matrix.timings: expected true or false; got "connect"'],
  ["{factors: {workers: {8: {}}}}", "", "matrix.factors.workers.8: expected the name of a level"],
  ["{factors: {8x: {a: {}}}}", "", "matrix.factors.8x: expected the name of a factor"],
  [
    "{factors: {a: {x: {conection: close}}}}",
    "",
    'matrix.factors.a.x: unknown key "conection". Did you mean connection?',
  ],
  [
    "{factors: {a: {x: {links: {mysql: {latency: 1ms}}}}}}",
    "target: {services: [redis]}",
    "matrix.factors.a.x.links.mysql: expected a service that is started",
  ],
  [
    "{factors: {a: {x: {query: b=1}}}}",
    "scenarios: [{flow: f.js}]",
    "matrix.factors.a.x.query: a flow of the scenarios makes its requests itself",
  ],
])("matrix: %s is refused", (matrix, rest, message) => {
  expect(complaintAbout(matrix, rest)).toContain(message);
});
