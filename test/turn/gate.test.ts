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

/** The gate of an owner's turn that has read a page. */
function gateAfterPage(): TurnGate {
  const config = wholeSchema.parse({});
  return new TurnGate(
    {
      services: { config } as Services,
      agent: agentOf(config, "main"),
      session: { key: "agent:main:main", settings: {} },
      principal: { owner: true, place: "direct" },
      origin: ORIGINS.person,
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
