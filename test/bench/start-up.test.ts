import { expect, test } from "vitest";
import { busyMs } from "./start-up.ts";

test("the busy time of a profile is that of all samples but the idle ones", () => {
  const node = (id: number, functionName: string) => ({ id, callFrame: { functionName } });
  const nodes = [node(1, "(root)"), node(2, "(idle)"), node(3, "init"), node(4, "(garbage collector)")];
  expect(busyMs({ nodes, samples: [3, 2, 4, 3], timeDeltas: [1000, 50_000, 2000, 4000] })).toBe(7);
});
