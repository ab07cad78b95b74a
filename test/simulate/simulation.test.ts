import { expect, test } from "vitest";
import { chainOf, hops, waitMs } from "./chain.ts";
import { costSentence, costTables, freeTable } from "./cost.ts";
import { tables, withMade } from "./page.ts";
import { CITIES, DATABASES, PLACES, regions, roundTripMs } from "./regions.ts";
import { simulate } from "./simulation.ts";

const chain = chainOf([
  { from: "worker", to: "d1", step: 1 },
  { from: "object", to: "r2", step: 2 },
  { from: "object", to: "d1", step: 2 },
  { from: "object", to: "r2", step: 2 },
  { from: "object", to: "r2", step: 3 },
]);
const none = { worker: [], object: [] };

test("calls of one step are side by side, and those of the Worker come before the call of the object", () => {
  expect(chain).toEqual({ worker: [["d1"]], object: [["d1", "r2"], ["r2"]] });
  expect(hops(chain)).toBe(4);
  expect(hops(none)).toBe(1);
});

test("a caller waits for the Worker's steps, for the object, and for the object's steps", () => {
  const places = { caller: "Tokyo", object: "Germany", database: "East US" };
  expect(waitMs(none, places)).toBe(roundTripMs("Tokyo", "Germany"));
  expect(waitMs(chain, places)).toBe(
    roundTripMs("Tokyo", "East US") + roundTripMs("Tokyo", "Germany") + 2 * roundTripMs("Germany", "East US"),
  );
});

test("the table has a time between any two regions, the same in both directions, and knows all places", () => {
  for (const one of regions()) {
    for (const other of regions()) expect(roundTripMs(one, other)).toBe(roundTripMs(other, one));
  }
  for (const place of [...Object.values(CITIES), ...Object.values(PLACES), ...Object.values(DATABASES)]) {
    expect(regions()).toContain(place);
  }
  expect(() => roundTripMs("Tokyo", "Moon")).toThrow("Moon");
});

test("a step more shows in the hops, in the times and on the page", () => {
  const trace = { warm: none, later: none, new: none, cold: none };
  const [before, after] = [simulate(trace), simulate({ ...trace, warm: { worker: [], object: [["r2"]] } })];
  expect(before.hopsBeforeModel).toEqual({ warm: 1, later: 1, new: 1, cold: 1 });
  expect(after.hopsBeforeModel.warm).toBe(2);
  expect(after.p50ByCity.Tokyo).toBeGreaterThan(before.p50ByCity.Tokyo);
  expect(before.worst).toMatchObject({ ms: 337, city: "São Paulo", placement: "apac" });
  const page = "# Title\n\n<!-- made by: npm run simulate:regions -- --write -->\n\nold\n\n<!-- end -->\n\nThe end.\n";
  const written = withMade(page, tables(before));
  expect(written).not.toContain("old");
  expect(written).toMatch(/The end\.\n$/);
  expect(withMade(written, tables(before))).toBe(written);
  expect(withMade(page, tables(after))).not.toBe(written);
});

test("the cost of a turn follows its operations", () => {
  const counts = {
    rowsRead: 20,
    rowsWritten: 10,
    d1RowsRead: 5,
    d1RowsWritten: 5,
    d1Requests: 1,
    r2Writes: 1,
    r2Reads: 0,
  };
  const recorded = { warm: counts, withTool: { ...counts, rowsWritten: 14, r2Reads: 1 } };
  expect(costTables(recorded)).toContain("| rows written to the object | 10 | 10 |");
  expect(costTables(recorded)).toContain("adds 4 rows written and 1 R2 read");
  expect(freeTable(recorded)).toContain("| 100,000 rows written to objects | 10,000 |");
  const more = { ...recorded, warm: { ...counts, r2Writes: 3 } };
  const dollars = (sentence: string) => Number(/\$(\d+) a million/.exec(sentence)?.[1]);
  expect(dollars(costSentence(more)) - dollars(costSentence(recorded))).toBe(9);
});
