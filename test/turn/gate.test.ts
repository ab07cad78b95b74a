import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type ToolCall } from "../../src/agent/tool.ts";
import { agentOf } from "../../src/config/agents.ts";
import { ORIGINS } from "../../src/config/origins.ts";
import type { Message } from "../../src/models/message.ts";
import type { Services } from "../../src/services/services.ts";
import { TurnGate } from "../../src/turn/gate.ts";
import { wholeSchema } from "../config/whole-schema.ts";

const PAGE: Message = {
  ...{ role: "tool", id: "t", at: 0, callId: "c", tool: "exec", text: "a page", isError: false },
  labels: ["host:example.org"],
};

interface Turn {
  owner?: boolean;
  origin?: (typeof ORIGINS)[keyof typeof ORIGINS];
  /** The section of the configuration. */
  security?: object;
}

/** The gate of an owner's turn that has read a page. */
function gateAfterPage({ owner = true, origin = ORIGINS.person, security = {} }: Turn = {}): TurnGate {
  const config = wholeSchema.parse({ security });
  return new TurnGate(
    {
      services: { config } as Services,
      agent: agentOf(config, "main"),
      session: { key: "agent:main:main", settings: {} },
      principal: { owner, place: "direct" },
      origin,
      target: null,
      mode: "full",
    },
    { messages: () => [PAGE], grants: [], audit: () => undefined },
  );
}

test("a command that goes on writes with what its own call was allowed, whichever call is at work", async () => {
  const gate = gateAfterPage();
  const work = Promise.withResolvers<{ text: string }>();
  const tool = defineTool({
    ...{ name: "slow", summary: "", description: "", parameters: z.object({}), replay: "safe", sequential: true },
    effects: () => [],
    run: () => work.promise,
  });
  const call = (approved: boolean) => ({ callId: "c", approved }) as ToolCall;

  const ofApproved = gate.guard(tool).run({}, call(true));
  expect(gate.labels()).toEqual([]);
  expect(gate.labels(false)).toEqual(["host:example.org"]);
  expect(() => gate.checkWrite("AGENTS.md", [])).not.toThrow();
  expect(() => gate.checkWrite("AGENTS.md", [], false)).toThrow(/was not written/);

  work.resolve({ text: "" });
  await ofApproved;
  expect(gate.labels(true)).toEqual([]);
  expect(() => gate.checkWrite("AGENTS.md", [], true)).not.toThrow();
  expect(() => gate.checkWrite("AGENTS.md", [])).toThrow(/was not written/);
});

/** A tool that asks a question of its own, and calls a server. */
const ASKING = defineTool({
  ...{ name: "ask_shop", summary: "", description: "", parameters: z.object({}), replay: "unsafe", sequential: true },
  effects: () => [
    { kind: "call", tool: "ask_shop", server: "shop", url: "https://shop.example/", isTrusted: false, shown: "" },
  ],
  approval: () => "Give it the word\u202e?",
  asksEachTime: true,
  run: async () => ({ text: "" }),
});

test("a call with a question of its own shows what is invisible in it, and allowing it allows no other", async () => {
  const gate = await gateAfterPage().decide({ callId: "c", tool: ASKING, args: {} });
  expect(gate).toEqual({ kind: "ask", question: "Give it the word\\u{202e}?" });
});

test("a call with a question of its own is refused where the policy refuses what it does", async () => {
  const gate = await gateAfterPage({ security: { flow: "refuse" } }).decide({ callId: "c", tool: ASKING, args: {} });
  expect(gate).toMatchObject({ kind: "refuse", reason: expect.stringContaining("security.flow") });
});

test.each([
  ["a heartbeat", { origin: ORIGINS.heartbeat }],
  ["a job", { origin: ORIGINS.job }],
  ["a turn of somebody else", { owner: false }],
])("a call with a question of its own is refused in %s, where no owner can answer", async (_, turn) => {
  const gate = await gateAfterPage({ ...turn, security: { flow: "off" } }).decide({
    callId: "c",
    tool: ASKING,
    args: {},
  });
  expect(gate).toMatchObject({ kind: "refuse", reason: expect.stringContaining("ask_shop") });
});
