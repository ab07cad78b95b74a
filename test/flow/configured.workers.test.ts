import { SELF } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { asked, call, finished, historyOf, say, script, waitFor } from "./client.ts";

/** Chats of this file alone: an owner, and a group. */
const OWNER = 8843;
const GROUP = -1_008_843;
let document: any;
let nextUpdate = 880_000;

beforeEach(async () => {
  const accounts = { default: { groups: { [GROUP]: {} } } };
  await patch({ commands: { ownerAllowFrom: [`telegram:${OWNER}`] }, channels: { telegram: { accounts } } });
  document = (await (await call("GET", "/v1/config")).json<any>()).document;
});

/** Changes the configuration by a merge patch. */
async function patch(change: object): Promise<void> {
  const answer = await call("PATCH", "/v1/config", change, { "If-Match": "*" });
  if (answer.status !== 200) throw new Error(await answer.text());
}

/** The same agents, one of them with more. */
function agentsWith(id: string, more: object) {
  return document.agents.list.map((entry: any) => (entry.id === id ? { ...entry, ...more } : entry));
}

/** Lets somebody write to the bot, alone or in the group, and gives what the Worker made of it. */
async function write(text: string, from: number, chat = from) {
  const type = chat === from ? "private" : "supergroup";
  const user = { id: from, is_bot: false, first_name: `User ${from}` };
  const message = { message_id: nextUpdate, date: 1_780_000_000, chat: { id: chat, type }, from: user, text };
  const response = await SELF.fetch("https://isopod.test/channels/telegram/default/webhook", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": "flow-webhook-secret" },
    body: JSON.stringify({ update_id: nextUpdate++, message }),
  });
  return response.json<{ ok: boolean; ignored?: string }>();
}

async function request(scenario: string): Promise<any> {
  await waitFor(async () => (await asked(scenario)).length > 0);
  return (await asked(scenario))[0]?.body;
}

function toolsIn(body: any): string[] {
  return body.tools.map((tool: any) => tool.function.name);
}

test("a binding lets another agent answer, in a session of its own", async () => {
  const match = { channel: "telegram", peer: { kind: "direct", id: String(OWNER) } };
  await patch({
    bindings: [{ agentId: "other", match }],
    agents: { list: agentsWith("other", { model: "fake/configured-bound" }) },
  });
  await script("configured-bound", [{ text: "I am another." }]);
  await write("Who are you?", OWNER);
  await request("configured-bound");
  await waitFor(async () => (await historyOf("agent:other:main")).messages?.length === 2);
  expect((await historyOf("agent:other:main")).messages).toMatchObject([{ text: "Who are you?" }, {}]);
  await patch({ bindings: null });
});

test("an agent's name addresses it in a group, as a pattern does", async () => {
  await script("configured-named", [{ text: "Yes?" }, { text: "Yes?" }]);
  await patch({ agents: { list: agentsWith("main", { identity: { name: "Pill" }, model: "fake/configured-named" }) } });
  expect((await write("Who is there?", OWNER, GROUP)).ignored).toBe("the agent was not addressed");
  expect((await write("Pill, who is there?", OWNER, GROUP)).ignored).toBeUndefined();
  await request("configured-named");
  await patch({ messages: { groupChat: { mentionPatterns: ["^robot\\b"] } } });
  expect((await write("Pill, and now?", OWNER, GROUP)).ignored).toBe("the agent was not addressed");
  expect((await write("Robot, and now?", OWNER, GROUP)).ignored).toBeUndefined();
  await waitFor(async () => (await asked("configured-named")).length === 2);
  await patch({ messages: null });
});

test("a group has the skills that its rules name, of those that the agent may use", async () => {
  const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo it.`;
  for (const name of ["herding", "hiding"])
    await call("PUT", `/v1/agents/main/workspace/skills/${name}/SKILL.md`, skill(name));
  const accounts = { default: { groups: { [GROUP]: { requireMention: false, skills: ["herding"] } } } };
  await patch({
    channels: { telegram: { accounts } },
    agents: { list: agentsWith("main", { model: "fake/configured-skills" }) },
  });
  await script("configured-skills", [{ text: "Here." }, { text: "Alone." }]);
  await write("In the group", OWNER, GROUP);
  await waitFor(async () => (await asked("configured-skills")).length === 1);
  await write("Alone", OWNER);
  await waitFor(async () => (await asked("configured-skills")).length === 2);
  const [group, alone] = (await asked("configured-skills")).map(({ body }) => JSON.stringify(body.messages[0]));
  expect(group).toContain("Does herding.");
  expect(group).not.toContain("Does hiding.");
  expect(alone).toContain("Does hiding.");
});

test("tools that are denied to all, or to one agent, are neither in its requests nor in its prompt", async () => {
  const open = async (agentId: string, scenario: string) => {
    await script(scenario, [{ text: "Done." }]);
    const { runId } = await say("x", scenario, { sessionKey: `agent:${agentId}:hook:${scenario}` });
    await finished(runId);
    return request(scenario);
  };
  const before = await open("other", "policy-before");
  expect(toolsIn(before)).toEqual(expect.arrayContaining(["write", "edit", "gateway", "session_status"]));
  await patch({
    tools: { deny: ["edit"] },
    agents: { list: agentsWith("other", { tools: { deny: ["group:automation"] } }) },
  });
  const other = await open("other", "policy-other");
  expect(toolsIn(other).filter((name) => ["write", "edit", "gateway"].includes(name))).toEqual(["write"]);
  expect(JSON.stringify(other.messages[0])).not.toContain("Self-Update");
  const third = await open("third", "policy-third");
  expect(toolsIn(third).filter((name) => ["write", "edit", "gateway"].includes(name))).toEqual(["write", "gateway"]);
  await patch({ tools: null, agents: { list: agentsWith("other", { tools: { profile: "messaging" } }) } });
  const few = toolsIn(await open("other", "policy-messaging"));
  expect(few).toContain("session_status");
  expect(few.filter((name) => ["read", "write", "edit", "gateway"].includes(name))).toEqual([]);
});

test("request options of the configuration are sent with each request, an agent's before the defaults", async () => {
  await patch({
    agents: {
      defaults: { params: { temperature: 0.2, maxTokens: 900 } },
      list: agentsWith("main", { params: { temperature: 0.7 } }),
    },
  });
  for (const [agentId, temperature] of [
    ["main", 0.7],
    ["third", 0.2],
  ] as const) {
    await script(`configured-params-${agentId}`, [{ text: "Done." }]);
    await finished(
      (await say("x", `configured-params-${agentId}`, { sessionKey: `agent:${agentId}:hook:params` })).runId,
    );
    expect(await request(`configured-params-${agentId}`)).toMatchObject({ temperature, max_tokens: 900 });
  }
});

test("how long a tool's result may be is set for all, and for one agent", async () => {
  const limits = (toolResultMaxChars: number) => ({ contextLimits: { toolResultMaxChars } });
  await patch({ agents: { defaults: limits(3000), list: agentsWith("main", limits(2000)) } });
  for (const [agentId, longest] of [
    ["main", 2000],
    ["third", 3000],
  ] as const) {
    const scenario = `configured-result-${agentId}`;
    const look = { name: "gateway", args: { action: "config.schema.lookup", path: "agents.defaults" } };
    await script(scenario, [{ calls: [look] }, { text: "Done." }]);
    await finished((await say("x", scenario, { sessionKey: `agent:${agentId}:hook:result` })).runId);
    const result = (await asked(scenario)).at(-1)?.body.messages.at(-1).content as string;
    expect(result).toContain("characters are left out here");
    expect(result.length).toBeGreaterThan(longest);
    expect(result.length).toBeLessThan(longest + 300);
  }
});

test("the configured voice is in the prompt", async () => {
  await patch({ messages: { tts: { hint: "Write numbers as words." } } });
  await script("configured-voice", [{ text: "Done." }]);
  await finished((await say("x", "configured-voice", { sessionKey: "agent:main:hook:configured-voice" })).runId);
  expect(JSON.stringify((await request("configured-voice")).messages[0])).toContain("Write numbers as words.");
  await patch({ messages: null });
});
