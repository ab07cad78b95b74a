import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { Target } from "../../src/channels/channel.ts";
import { objectNameOf } from "../../src/config/session-ids.ts";
import type { PromptPreview } from "../../src/turn/preview/preview-turn.ts";
import { chatOf, hear } from "./chats.ts";
import { asked, call, finished, say, script } from "./client.ts";
import { sha256 } from "./plugin-lab.ts";
import { session } from "./session-lab.ts";

const BOUNDARY = "<!-- ISOPOD_CACHE_BOUNDARY -->\n\n";

function look(query: Record<string, string>, agentId = "main", headers: Record<string, string> = {}) {
  return call("GET", `/v1/agents/${agentId}/prompt?${new URLSearchParams(query)}`, undefined, headers);
}

async function preview(query: Record<string, string>, agentId?: string): Promise<PromptPreview> {
  const response = await look(query, agentId);
  if (response.status !== 200) throw new Error(await response.text());
  return response.json();
}

/** What the model was sent first in a scenario, besides the conversation. */
async function sent(scenario: string): Promise<{ system: string; tools: object[] }> {
  const [request] = await asked(scenario);
  const tools = request!.body.tools ?? [];
  return { system: request!.body.messages[0].content, tools: tools.map((tool: any) => tool.function) };
}

/** What a look showed, as the model would be sent it. */
function asSent({ text, tools }: PromptPreview): { system: string; tools: string[] } {
  return { system: text.replace(BOUNDARY, ""), tools: tools.map(({ name }) => name) };
}

async function expectSame(scenario: string, shown: PromptPreview): Promise<void> {
  const { system, tools } = await sent(scenario);
  expect(asSent(shown)).toEqual({ system, tools: tools.map((tool: any) => tool.name) });
  const bytes = tools.map((tool: any) => JSON.stringify(tool.parameters).length);
  expect(shown.tools.map(({ schemaBytes }) => schemaBytes)).toEqual(bytes);
}

describe("a look at the prompt of a turn that nobody has asked for", () => {
  test("shows what the first turn of an agent is sent, and leaves nothing behind", async () => {
    const { sessionKey } = { sessionKey: "agent:third:hook:first" };
    const query = { session: sessionKey, model: "fake/first" };
    const before = await preview(query, "third");
    expect(before.seeded).toBe(false);
    expect(before.files.map(({ path, missing }) => [path, missing])).toContainEqual(["SOUL.md", false]);
    expect((await env.FILES.list({ prefix: "agents/third/" })).objects).toEqual([]);
    const stub = env.SESSIONS.getByName(await objectNameOf(sessionKey));
    await runInDurableObject(stub, (_, { storage }) => {
      expect(storage.sql.exec("select name from sqlite_master where name not like '_cf%'").toArray()).toEqual([]);
    });

    await script("first", [{ text: "Hello." }]);
    await finished((await say("Hi", "first", { sessionKey, agentId: "third" })).runId);
    await expectSame("first", before);
    expect(await preview(query, "third")).toEqual({ ...before, seeded: true });
  });

  test.each<[string, Target["kind"], boolean]>([
    ["direct-owner", "direct", true],
    ["direct-other", "direct", false],
    ["group-owner", "group", true],
    ["group-other", "group", false],
  ])("shows what a turn on a channel is sent: %s", async (name, kind, owner) => {
    await script(name, [{ text: "Hello." }]);
    const target = { ...chatOf(kind === "direct" ? 4711 : -4711), kind };
    await finished(await hear(name, target, "Hi", { sender: { id: "4711", owner } }));
    const sender = owner ? "owner" : "other";
    const shown = await preview({ channel: "telegram", kind, sender, model: `fake/${name}`, ...sessionOf(name) });
    await expectSame(name, shown);
    expect(shown.files.some(({ path }) => path === "USER.md")).toBe(owner && kind === "direct");
  });

  test("follows the words of a session's key where it names no more", async () => {
    const group = await preview({ session: "agent:main:telegram:group:-1005" });
    expect(group.text).toContain("This session is a group");
    expect(group.text).toContain("channel=telegram");
    expect((await preview({ session: "agent:main:subagent:x" })).mode).toBe("minimal");
    const direct = await preview({ channel: "telegram", sender: "other" });
    expect(direct.sessionKey).toBe("agent:main:telegram:direct:preview");
    expect((await preview({ channel: "telegram" })).sessionKey).toBe("agent:main:main");
    const line = await preview({ mode: "none" });
    expect(line.text).toBe("You are a personal assistant running inside OpenClaw.");
    expect(line.files).toEqual([]);
  });

  test("says of each section where its words come from, how large it is, and on which side of the boundary", async () => {
    const shown = await preview({ model: "fake/gpt-5.5", thinking: "high" });
    expect(await sha256(shown.text)).toBe(shown.hash);
    const [above = ""] = shown.text.split(`\n\n${BOUNDARY}`);
    expect(await sha256(above)).toBe(shown.stableHash);
    const { sections, totals } = shown;
    for (const [layer, text] of [
      ["above", above],
      ["below", shown.text.slice(above.length + BOUNDARY.length + 2)],
    ] as const) {
      const texts = sections.filter((section) => section.layer === layer).map((section) => section.text);
      expect(texts.join("\n\n")).toBe(text);
      expect(totals[layer].chars).toBe(text.length);
    }
    const source = (name: string) => sections.find((section) => section.name === name)?.source;
    expect(source("safety")).toEqual({ kind: "section", name: "src/prompt/sections/conduct.ts" });
    expect(source("interaction-style")).toEqual({ kind: "provider", name: "gpt-5" });
    expect(source("project-context")?.kind).toBe("workspace");
    expect(source("authorized-senders")).toEqual({ kind: "configuration", name: "commands.ownerAllowFrom" });
    expect(shown.text).toContain("thinking=high");
  });

  test("is the text alone where that is asked for", async () => {
    const { text, hash } = await preview({});
    for (const type of ["text/plain", "text/markdown"]) {
      const response = await look({}, "main", { Accept: `${type}, */*;q=0.1` });
      expect(response.headers.get("Content-Type")).toBe(`${type}; charset=utf-8`);
      expect(response.headers.get("ETag")).toBe(`"${hash}"`);
      expect(await response.text()).toBe(text);
    }
    expect((await look({}, "main", { Accept: "*/*" })).headers.get("Content-Type")).toContain("application/json");
  });

  test.each([
    [{ channel: "pigeon" }, "channel: 'pigeon' has no account"],
    [{ channel: "telegram", account: "second" }, "account: 'second' has no account"],
    [{ kind: "group" }, "kind: a group is on a channel"],
    [{ kind: "crowd" }, "kind"],
    [{ session: "agent:other:main" }, "session: 'agent:other:main' belongs to the agent 'other'"],
    [{ session: "somewhere" }, "'somewhere' is not a session key"],
    [{ session: "agent:main:telegram:group:1", kind: "direct" }, "kind: the session is one of 'group'"],
    [{ model: "nobody/nothing" }, "model: "],
    [{ mode: "short" }, "mode"],
    [{ thinking: "hard" }, "thinking"],
    [{ chanel: "telegram" }, "chanel"],
  ])("refuses %j, and names the field", async (query, problem) => {
    const response = await look(query as Record<string, string>);
    const { error } = await response.json<{ error: { message: string } }>();
    expect([response.status, error.message]).toEqual([400, expect.stringContaining(problem)]);
  });

  test("knows no agent that is not configured", async () => {
    expect((await look({}, "nobody")).status).toBe(404);
  });
});

function sessionOf(name: string): { session: string } {
  return { session: session(name).sessionKey };
}
