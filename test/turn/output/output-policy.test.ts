import { expect, test } from "vitest";
import { agentDefaults } from "../../../src/config/agent-schema.ts";
import { type OutputTarget, outputPolicy } from "../../../src/turn/output/run-output.ts";

const defaultsOf = (defaults: object) => agentDefaults.parse(defaults);
const free: OutputTarget = { inBlocks: undefined, isVetted: false, visible: "automatic" };
const wants = { verbose: "full", reasoning: "stream" } as const;

test("replies leave whole unless the agent or the account says otherwise, and the account goes before", () => {
  const off = { defaults: defaultsOf({}) };
  const on = { defaults: defaultsOf({ blockStreamingDefault: "on", blockStreamingBreak: "message_end" }) };
  expect(outputPolicy(wants, off, free)).toEqual({ ...wants, isPrivate: false });
  expect(outputPolicy(wants, on, free).blocks).toEqual({ at: "message_end", size: { minChars: 800, maxChars: 1200 } });
  expect(outputPolicy(wants, off, { ...free, inBlocks: true }).blocks?.at).toBe("text_end");
  expect(outputPolicy(wants, on, { ...free, inBlocks: false }).blocks).toBeUndefined();
});

test("where a plugin looks at what is sent, what the model says leaves whole and at the end", () => {
  const on = { defaults: defaultsOf({ blockStreamingDefault: "on" }) };
  const told = { verbose: "full", reasoning: "on", isPrivate: false };
  expect(outputPolicy(wants, on, { ...free, isVetted: true })).toEqual(told);
});

test("where only the message tool speaks, neither the text of a reply nor reasoning leaves, in blocks or whole", () => {
  const on = { defaults: defaultsOf({ blockStreamingDefault: "on" }) };
  const told = { verbose: "full", reasoning: "off", isPrivate: true };
  expect(outputPolicy(wants, on, { ...free, visible: "message_tool" })).toEqual(told);
});
