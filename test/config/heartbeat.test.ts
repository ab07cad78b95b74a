import { expect, test } from "vitest";
import { z } from "zod";
import { heartbeatOf } from "../../src/config/heartbeat.ts";
import { configSchema } from "../../src/config/schema.ts";

const schema = configSchema(z.unknown(), z.unknown(), z.unknown());

/** How each of the agents `a` (the default one) and `b` beats. */
function beats(defaults: object, a: object = {}, b: object = {}) {
  const agents = {
    defaults,
    list: [
      { id: "a", ...a },
      { id: "b", ...b },
    ],
  };
  const config = schema.parse({ models: {}, channels: {}, hooks: {}, agents });
  return [heartbeatOf(config, "a")?.every, heartbeatOf(config, "b")?.every];
}

test("without any block nothing beats", () => {
  expect(beats({})).toEqual([undefined, undefined]);
});

test("a block for all lets the default agent beat, every 30 minutes where it does not say", () => {
  expect(beats({ heartbeat: {} })).toEqual(["30m", undefined]);
  expect(beats({ heartbeat: { every: "2h" } })).toEqual(["2h", undefined]);
});

test("where an agent has a block of its own only those beat that have one, over what all share", () => {
  expect(beats({ heartbeat: { every: "2h" } }, {}, { heartbeat: {} })).toEqual([undefined, "2h"]);
  expect(beats({ heartbeat: { every: "2h" } }, { heartbeat: { every: "1h" } }, { heartbeat: {} })).toEqual([
    "1h",
    "2h",
  ]);
  expect(beats({}, {}, { heartbeat: {} })).toEqual([undefined, "30m"]);
});

test("0m is off, and a block that is off is still a block", () => {
  expect(beats({ heartbeat: { every: "0m" } })).toEqual([undefined, undefined]);
  expect(beats({ heartbeat: {} }, {}, { heartbeat: { every: "00h" } })).toEqual([undefined, undefined]);
});

test("what one agent leaves out of its hours is filled in", () => {
  const config = schema.parse({
    ...{ models: {}, channels: {}, hooks: {} },
    agents: { list: [{ id: "a", heartbeat: { activeHours: { start: "08:00" } } }] },
  });
  expect(heartbeatOf(config, "a")?.activeHours).toEqual({ start: "08:00", end: "24:00" });
});
