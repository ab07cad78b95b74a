import { describe, expect, test } from "vitest";
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
function gateAfterPage(
  { owner = true, origin = ORIGINS.person, security = {} }: Turn = {},
  said: readonly Message[] = [],
): TurnGate {
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
    { messages: () => [PAGE, ...said], grants: [], audit: () => undefined },
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

describe("an address that words are sent to", () => {
  const url = "https://shop.example/search";
  const tool = (sends?: string) =>
    defineTool({
      ...{
        name: "browser",
        summary: "",
        description: "",
        parameters: z.object({}),
        replay: "unsafe",
        sequential: true,
      },
      effects: () => [{ kind: "reach", url, ...(sends !== undefined && { sends }) }],
      run: async () => ({ text: "" }),
    });
  const decided = (gate: TurnGate, sends?: string) => gate.decide({ callId: "c", tool: tool(sends), args: {} });
  const shown: Message = { ...PAGE, id: "t2", text: `Address: ${url}` };
  const named: Message = {
    ...{ role: "user", id: "u", at: 0, text: `Search at ${url}`, sender: { id: "telegram:1", owner: true } },
    said: { at: 0, zone: "UTC", place: "direct", as: "telegram:1" },
  };

  test("is asked about where a page alone has named it, with the words", async () => {
    const asked = await decided(gateAfterPage({}, [shown]), "my secret");
    expect(asked).toMatchObject({ kind: "ask", grant: { tool: "browser", hosts: ["shop.example"] } });
    expect(asked.kind === "ask" && asked.question).toMatch(/^Send this to a page of shop\.example\?.*\nmy secret$/s);
    expect(await decided(gateAfterPage({}, [shown]))).toMatchObject({ kind: "go" });
  });

  test("is not asked about where the owner has named it", async () => {
    expect(await decided(gateAfterPage({}, [named]), "lamp")).toMatchObject({ kind: "go" });
  });
});

describe("what a page loads by itself", () => {
  const shop = "https://shop.example/";
  const load = (turn: Turn, url: string, from = shop, opened?: string) =>
    gateAfterPage(turn).mayLoad(url, from, opened);

  test("may be of any public host, and of a listed one where the configuration has a list", () => {
    expect(load({}, "https://cdn.example/x.js")).toBeUndefined();
    const listed = { security: { egress: { mode: "allowlist", trusted: ["cdn.example"] } } };
    expect(load(listed, "https://cdn.example/x.js")).toBeUndefined();
    expect(load(listed, "https://other.example/")).toMatch(/other\.example was not loaded: .*security\.egress\.mode/);
    expect(load(listed, "https://shop.example/x.js")).toBeUndefined();
  });

  test("is of a private host only for that host's pages, and where a call opens it", () => {
    const allowed = { security: { egress: { allowPrivate: ["192.168.1.5:8080"] } } };
    const router = "http://192.168.1.5:8080/";
    expect(load(allowed, router)).toMatch(
      /192\.168\.1\.5:8080 is in a private network, and was not loaded by a page of shop/,
    );
    expect(load(allowed, router, `${router}start`)).toBeUndefined();
    expect(load(allowed, router, shop, "192.168.1.5:8080")).toBeUndefined();
  });
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

test("a call is refused for what one effect forbids, and no person is asked about another effect", async () => {
  const tool = defineTool({
    ...{ name: "both", summary: "", description: "", parameters: z.object({}), replay: "unsafe", sequential: true },
    effects: () => [
      { kind: "send", to: "telegram:7", shown: "" },
      { kind: "reach", url: "https://other.example/" },
    ],
    run: async () => ({ text: "" }),
  });
  const security = { egress: { mode: "allowlist", trusted: ["cdn.example"] } };
  const gate = await gateAfterPage({ security }).decide({ callId: "c", tool, args: {} });
  expect(gate).toMatchObject({ kind: "refuse", reason: expect.stringContaining("other.example") });
});
