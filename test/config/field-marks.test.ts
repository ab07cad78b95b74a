import { expect, test } from "vitest";
import { jsonSchemaOf, partsOf, type SchemaNode, statusOf } from "../../src/config/schema-node.ts";
import { wholeSchema } from "./whole-schema.ts";

/** A line for every field: who writes it, its path, and whether it does anything. */
function lines(node: SchemaNode, path: string): string[] {
  return partsOf(node).flatMap(([name, part]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const status = statusOf(part);
    const line = [part.agentMayWrite === true ? "agent" : "owner", at, ...(status ? [status] : [])].join(" ");
    return [line, ...lines(part, at)];
  });
}

test("every field of the configuration is listed with who may write it, so that opening one to the agent is a visible change", async () => {
  const all = lines(jsonSchemaOf(wholeSchema), "");
  expect(all.length).toBeGreaterThan(500);
  await expect(`${all.join("\n")}\n`).toMatchFileSnapshot("./field-marks.txt");
});

test("only these fields, all of style or convenience, are open to the agent", () => {
  const open = lines(jsonSchemaOf(wholeSchema), "").flatMap((line) =>
    line.startsWith("agent ") ? (line.split(" ")[1] ?? []) : [],
  );
  const ofAnyChannel = open.map((path) => path.replace(/^channels\.\w+\./, "channels.<id>."));
  expect([...new Set(ofAnyChannel)]).toEqual([
    "agents.defaults.userTimezone",
    "agents.defaults.timeFormat",
    "agents.defaults.humanDelay.mode",
    "agents.defaults.humanDelay.minMs",
    "agents.defaults.humanDelay.maxMs",
    "agents.defaults.blockStreamingDefault",
    "agents.defaults.blockStreamingBreak",
    "agents.list.*.name",
    "agents.list.*.humanDelay",
    "agents.list.*.humanDelay.mode",
    "agents.list.*.humanDelay.minMs",
    "agents.list.*.humanDelay.maxMs",
    "agents.list.*.identity",
    "agents.list.*.identity.name",
    "agents.list.*.identity.theme",
    "agents.list.*.identity.emoji",
    "messages.ackReaction",
    "messages.removeAckAfterReply",
    "memory.citations",
    "channels.<id>.accounts.*.blockStreaming",
    "channels.<id>.accounts.*.replyToMode",
    "channels.<id>.accounts.*.reactionLevel",
    "channels.<id>.blockStreaming",
    "channels.<id>.replyToMode",
    "channels.<id>.reactionLevel",
  ]);
});
