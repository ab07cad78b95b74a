import { expect, test } from "vitest";
import { agentDefaults } from "../../src/config/agent-schema.ts";
import { tellingOf } from "../../src/session/delivery/telling.ts";

const defaultsOf = (defaults: object) => agentDefaults.parse(defaults);
const free = { inBlocks: undefined, isVetted: false };
const wants = { verbose: "full", reasoning: "stream" } as const;

test("replies leave whole unless the agent or the account says otherwise, and the account goes before", () => {
  const off = { defaults: defaultsOf({}) };
  const on = { defaults: defaultsOf({ blockStreamingDefault: "on", blockStreamingBreak: "message_end" }) };
  expect(tellingOf(wants, off, free)).toEqual(wants);
  expect(tellingOf(wants, on, free).blocks).toEqual({ at: "message_end", size: { minChars: 800, maxChars: 1200 } });
  expect(tellingOf(wants, off, { ...free, inBlocks: true }).blocks?.at).toBe("text_end");
  expect(tellingOf(wants, on, { ...free, inBlocks: false }).blocks).toBeUndefined();
});

test("where a plugin looks at what is sent, what the model says leaves whole and at the end", () => {
  const on = { defaults: defaultsOf({ blockStreamingDefault: "on" }) };
  expect(tellingOf(wants, on, { ...free, isVetted: true })).toEqual({ verbose: "full", reasoning: "on" });
});
