import { expect, test } from "vitest";
import { z } from "zod";
import { configSchema } from "../../src/config/config-schema.ts";
import { locationOf } from "../../src/config/session-location.ts";

const schema = configSchema(z.unknown(), z.unknown(), z.unknown());

test("an agent's location counts before its channel's, and that before the general one", () => {
  const config = schema.parse({
    models: {},
    channels: {},
    hooks: {},
    session: { location: "enam", locationByChannel: { telegram: "weur" } },
    agents: { list: [{ id: "main" }, { id: "lawyer", location: "eu" }] },
  });
  for (const [key, location] of [
    ["agent:main:main", "enam"],
    ["agent:main:direct:peer", "enam"],
    ["agent:main:telegram:direct:1", "weur"],
    ["agent:main:telegram:default:direct:1", "weur"],
    ["agent:main:telegram:group:-1:topic:2", "weur"],
    ["agent:main:slack:channel:C1", "enam"],
    ["agent:main:hook:telegram", "enam"],
    ["agent:main:subagent:telegram", "enam"],
    ["agent:lawyer:telegram:direct:1", "eu"],
    ["agent:lawyer:main", "eu"],
    ["agent:unknown:main", "enam"],
  ] as const) {
    expect([key, locationOf(config, key)]).toEqual([key, location]);
  }
});
