import { expect, test } from "vitest";
import { scenarioLines } from "../../src/config/locate.ts";

test("each scenario at its line, by the name that it has in a plan", () => {
  const text = `# shop
target: { root: public }
scenarios:
  - { path: /products }
  - name: cart
    path: /cart

  - flow: perf/checkout.js
  - {}
gate: {}
`;
  expect([...scenarioLines(text)]).toEqual([
    ["/products", 4],
    ["cart", 5],
    ["checkout", 8],
    ["", 9],
  ]);
});

test.each(["", "scenarios: 5", "scenarios: [", "- 1", "scenarios: [x, { name: 5 }]"])("nothing in %j", (text) => {
  expect(scenarioLines(text).size).toBe(0);
});
