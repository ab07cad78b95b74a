import { evictDurableObject, runDurableObjectAlarm, SELF } from "cloudflare:test";
import { expect, inject, test } from "vitest";
import { objectNameOf } from "../../src/config/session-ids.ts";
import { inServer, interaction, signed } from "../channels/discord/test-app.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import type { PlatformCall } from "../fakes/platforms/fake-platform.ts";
import { asked, call, env, historyOf, script, waitFor } from "./client.ts";

const discord = knownPlace("discord", "flow", inject("platforms"));
const owner = { id: "420", username: "ada", global_name: "Ada" };

type Interaction = ReturnType<typeof interaction>;

/** A question of the owner, in their own chat with the bot. */
function question(text: string, more: Record<string, unknown> = {}): Interaction {
  return interaction({ user: owner, channel_id: "88420", channel: { id: "88420", type: 1 }, ...asking(text), ...more });
}

/** Another chat, so that what is lost in one is not told in the next test. */
function placed(id: string) {
  return { channel_id: id, channel: { id, type: 1 } };
}

function asking(text: string) {
  return { data: { id: "1", name: "ask", type: 1, options: [{ name: "text", type: 3, value: text }] } };
}

async function deliver(body: Interaction): Promise<Response> {
  return SELF.fetch(await signed(JSON.stringify(body)));
}

/** Discord has the Worker's first answer. */
async function acknowledge({ id, token }: Interaction, answer: unknown): Promise<void> {
  await fetch(`${discord.url}/interactions/${id}/${token}/callback`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "User-Agent": "DiscordBot (test, 1)" },
    body: JSON.stringify(answer),
  }).then((response) => response.text());
}

/** What Discord does with an interaction: it calls the Worker, and shows its answer. */
async function interact(body: Interaction): Promise<{ type: number; data?: { content: string; flags: number } }> {
  const response = await deliver(body);
  expect(response.status).toBe(200);
  const answer = await response.json<{ type: number; data?: { content: string; flags: number } }>();
  await acknowledge(body, answer);
  return answer;
}

/** What was called for an interaction, in order, besides the question whether it still waits. */
async function answersTo({ token }: Interaction): Promise<{ how: string; text: unknown }[]> {
  const calls = await discord.calls(`webhooks/1000/${token}`);
  return calls
    .filter(({ method }) => method !== "GET")
    .map(({ method, fields }) => ({ how: method, text: fields.content }));
}

/** The bot's own messages to a channel, in order. */
async function messagesTo(channel: string): Promise<PlatformCall["fields"][]> {
  const calls = await discord.calls(`channels/${channel}/messages`);
  return calls.filter(({ method }) => method === "POST").map(({ fields }) => fields);
}

test("a slash command is answered in the place of the bot's thinking, and the conversation is on the page", async () => {
  await script("default", [{ text: "**Hello** from the edge." }]);
  const ask = question("Hi bot");
  expect(await interact(ask)).toEqual({ type: 5 });
  await waitFor(async () => (await answersTo(ask)).length === 1);
  expect(await answersTo(ask)).toEqual([{ how: "PATCH", text: "**Hello** from the edge." }]);
  const { messages } = await historyOf("agent:main:main");
  expect(messages).toMatchObject([{ role: "user", text: "Hi bot" }, { role: "assistant" }]);
});

test("a reply in several parts takes the place of thinking with the first, and the others follow in order", async () => {
  const paragraphs = Array.from({ length: 30 }, (_, n) => `${n}: ${"words and more words ".repeat(10)}`);
  await script("default", [{ text: paragraphs.join("\n\n") }]);
  const ask = question("A long one");
  await interact(ask);
  await waitFor(async () => (await answersTo(ask)).some(({ text }) => String(text).includes("29:")));
  const answers = await answersTo(ask);
  expect(answers.map(({ how }) => how)).toEqual(["PATCH", ...answers.slice(1).map(() => "POST")]);
  expect(answers.length).toBeGreaterThan(2);
  const numbers = answers.flatMap(({ text }) => [...String(text).matchAll(/(\d+): words/g)].map(([, n]) => Number(n)));
  expect(numbers).toEqual(paragraphs.map((_, n) => n));
});

test("where the agent says nothing, the bot's thinking is taken away", async () => {
  await script("default", [{ text: "NO_REPLY" }]);
  const ask = { ...inServer(asking("Anything?")), member: { user: owner, nick: null } } as unknown as Interaction;
  expect(await interact(ask)).toEqual({ type: 5 });
  await waitFor(async () => (await answersTo(ask)).length === 1);
  expect(await answersTo(ask)).toEqual([{ how: "DELETE", text: undefined }]);
  expect(await messagesTo("501")).toEqual([]);
});

test("a question that joins the answer to an earlier one leaves no thinking behind", async () => {
  const place = placed("88421");
  await script("default", [{ calls: [{ name: "ls", args: { path: "" } }], delayMs: 1000 }, { text: "Both." }]);
  const [first, second] = [question("One", place), question("Two", place)];
  await interact(first);
  await waitFor(async () => (await asked("default")).length === 1);
  await interact(second);
  await waitFor(async () => (await answersTo(first)).length === 1);
  await waitFor(async () => (await answersTo(second)).length === 1);
  const all = [...(await answersTo(first)), ...(await answersTo(second))].map(({ how, text }) => `${how} ${text}`);
  expect(all.sort()).toEqual(["DELETE undefined", "PATCH Both."]);
});

test("a run that fails tells so in the place of thinking", async () => {
  await script("default", [{ status: 400, body: { error: { message: "no such model" } } }]);
  const ask = question("Break");
  await interact(ask);
  await waitFor(async () => (await answersTo(ask)).length === 1);
  const [answer] = await answersTo(ask);
  expect(answer).toMatchObject({ how: "PATCH", text: expect.stringContaining("no such model") });
});

test("a command is answered at once, although Discord has not read the Worker's first answer yet", async () => {
  const status = question("", { data: { id: "1", name: "whoami", type: 1 } });
  const answer = await (await deliver(status)).json();
  expect(answer).toEqual({ type: 5 });
  await waitFor(async () => (await discord.calls(status.token)).length > 0);
  await acknowledge(status, answer);
  await waitFor(async () => (await answersTo(status)).length === 1);
  expect(await answersTo(status)).toEqual([{ how: "PATCH", text: expect.stringContaining("You are `420`") }]);
});

test("somebody unknown is told in private why, and gets one code in their own chat", async () => {
  const stranger = { user: { id: "4711", username: "eve" }, channel_id: "884711", channel: { id: "884711", type: 1 } };
  const before = (await asked("default")).length;
  for (const text of ["Hello?", "Anybody?"]) {
    const answer = await interact(interaction({ ...stranger, ...asking(text) }));
    expect(answer).toMatchObject({ type: 4, data: { flags: 64, content: expect.stringContaining("do not know you") } });
  }
  const codes = async () => {
    const calls = await discord.calls();
    return calls.filter(({ fields }) => /\*\*[0-9A-Z]{8}\*\*/.test(String(fields.content)));
  };
  await waitFor(async () => (await codes()).length > 0);
  expect(await codes()).toHaveLength(1);
  expect(await asked("default")).toHaveLength(before);
});

test("in a channel that is not allowed, only the person who asked is told so", async () => {
  const answer = await interact(inServer({ channel_id: "599", channel: { id: "599", type: 0 }, ...asking("Hi") }));
  expect(answer).toMatchObject({ type: 4, data: { flags: 64, content: expect.stringContaining("this channel") } });
});

test("a channel's rules hold in its threads", async () => {
  await script("default", [{ text: "In the thread." }]);
  const thread = { channel_id: "502", channel: { id: "502", type: 11, name: "a thread", parent_id: "501" } };
  const ask = inServer({ ...thread, ...asking("Hi") });
  expect(await interact(ask)).toEqual({ type: 5 });
  await waitFor(async () => (await answersTo(ask)).length === 1);
  const { messages } = await historyOf("agent:main:discord:channel:502");
  expect(messages).toMatchObject([{ text: "Hi" }, { role: "assistant" }]);
});

test("an interaction that comes twenty times at once is one run and one reply", async () => {
  await script("default", [{ text: "Once." }]);
  const before = (await asked("default")).length;
  const ask = question("Twenty?");
  const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(ask)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  await acknowledge(ask, await answers[0]!.json());
  await waitFor(async () => (await answersTo(ask)).length === 1);
  const { messages } = await historyOf("agent:main:main");
  expect(messages.filter(({ text }) => text === "Twenty?")).toHaveLength(1);
  expect(await asked("default")).toHaveLength(before + 1);
  expect(await answersTo(ask)).toEqual([{ how: "PATCH", text: "Once." }]);
});

test("an interaction with a wrong signature is refused, and nothing is stored", async () => {
  const before = (await asked("default")).length;
  const request = await signed(JSON.stringify(question("Let me in")));
  const forged = new Request(request.url, { method: "POST", headers: request.headers, body: "{}" });
  expect((await SELF.fetch(forged)).status).toBe(401);
  expect(await asked("default")).toHaveLength(before);
});

test("a busy Discord is called again after its pause, and the reply arrives once", async () => {
  await script("default", [{ text: "Patient." }]);
  const ask = question("Be patient");
  const busy = { status: 429, body: { message: "You are being rate limited.", retry_after: 0.5, global: false } };
  await discord.script({ path: `${ask.token}/messages`, ...busy }, { path: `${ask.token}/messages`, ...busy });
  await interact(ask);
  const ids = async () => (await discord.calls(ask.token)).filter(({ method }) => method === "PATCH");
  await waitFor(async () => (await ids()).length === 1);
  expect((await answersTo(ask)).map(({ text }) => text)).toEqual(["Patient."]);
});

test("a reply whose answer is lost is marked unsure, and not sent twice", async () => {
  const faults = { cut: { cut: "after" }, error: { status: 500, body: {} } } as const;
  for (const [n, [name, fault]] of Object.entries(faults).entries()) {
    await script("default", [{ text: `Did it arrive (${name})?` }]);
    const ask = question(`Unsure ${name}`, placed(`88431${n}`));
    await discord.script(
      { path: `${ask.token}/messages/@original`, status: 200, body: { flags: 128 } },
      { path: `webhooks/1000/${ask.token}`, ...fault },
    );
    await interact(ask);
    const last = async () => (await historyOf("agent:main:main")).messages.at(-1) as unknown as { runId: string };
    await waitFor(async () => JSON.stringify(await last()).includes(`(${name})?`));
    const { runId } = await last();
    const statuses = async () =>
      (await (await call("GET", `/v1/runs/${runId}`)).json<{ deliveries: { status: string }[] }>()).deliveries.map(
        ({ status }) => status,
      );
    await waitFor(async () => (await statuses())[0] === "unsure");
    expect(await statuses()).toEqual(["unsure"]);
  }
});

test("a reply that waits when its session is evicted is sent afterwards, in the place of thinking", async () => {
  await script("default", [{ text: "After all." }]);
  const ask = question("Evict me", placed("88432"));
  const busy = { status: 429, body: { message: "You are being rate limited.", retry_after: 1, global: false } };
  await discord.script({ path: `webhooks/1000/${ask.token}`, ...busy });
  await interact(ask);
  await waitFor(async () => (await discord.calls(`webhooks/1000/${ask.token}`)).length > 0);
  const stub = env.SESSIONS.getByName(await objectNameOf("agent:main:main"));
  await evictDurableObject(stub);
  await waitFor(async () => {
    await runDurableObjectAlarm(stub);
    return (await answersTo(ask)).length === 1;
  });
  expect(await answersTo(ask)).toEqual([{ how: "PATCH", text: "After all." }]);
});

test("pressing a button is the message that it stands for, and leaves the buttons as they are", async () => {
  const press = question("", {
    type: 3,
    data: { component_type: 2, custom_id: "/whoami" },
    message: {
      id: "1400",
      channel_id: "88420",
      content: "Who are you?",
      author: { id: "900", username: "Isopod", bot: true },
    },
  });
  expect(await interact(press)).toEqual({ type: 6 });
  await waitFor(async () => (await answersTo(press)).length === 1);
  expect(await answersTo(press)).toEqual([{ how: "POST", text: expect.stringContaining("You are `420`") }]);
});

test("the agent writes first to a person by opening the direct channel", async () => {
  await script("default", [
    { calls: [{ name: "message", args: { to: "discord:user:431", text: "You have mail." } }] },
    { text: "Told them." },
  ]);
  const ask = question("Tell them");
  await interact(ask);
  await waitFor(async () => (await messagesTo("88431")).length === 1);
  expect(await messagesTo("88431")).toMatchObject([{ content: "You have mail.", allowed_mentions: { parse: [] } }]);
});
