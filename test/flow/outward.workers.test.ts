import { env, SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/tool.ts";
import type { Target } from "../../src/channels/channel.ts";
import { callsTo, chatOf, hear, sentTo, settled } from "./chats.ts";
import { asked, call, finished, historyOf, script, waitFor } from "./client.ts";
import { calling, childrenOf, spawning, textsIn } from "./family-lab.ts";
import { configure, equip, session } from "./session-lab.ts";

const BOT = `${env.TEST_BOT_API}/control/7000000001:flow`;

async function answerOnce(answer: object): Promise<void> {
  await fetch(BOT, { method: "PUT", body: JSON.stringify({ answers: [answer] }) });
}

/** Hands an update to the webhook, as Telegram does. */
async function deliver(update: object): Promise<Response> {
  return SELF.fetch("https://isopod.test/channels/telegram/default/webhook", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": "flow-webhook-secret" },
    body: JSON.stringify(update),
  });
}

/** The system prompt of a request. */
function systemOf(request: { body: any } | undefined): string {
  return request?.body.messages[0].content;
}

const react = (args: object) => ({ calls: [{ name: "message", args: { action: "react", ...args } }] });

/** What the message tool answered, in order. */
async function results(name: string): Promise<[isError: unknown, text: unknown][]> {
  const { messages } = await historyOf(session(name).sessionKey);
  return messages.flatMap(({ role, isError, text }) => (role === "tool" ? [[isError, text]] : []));
}

test("the agent reacts to the message at hand or to another one, and takes that back", async () => {
  await script("reacts", [react({ emoji: "❤️" }), react({ emoji: "", messageId: "12" }), { text: "NO_REPLY" }]);
  const chat = { ...chatOf(13101), replyToId: "61" };
  await settled(await hear("reacts", chat, "We won!"), chat);
  expect(await callsTo(chat)).toEqual([
    {
      method: "setMessageReaction",
      args: { chat_id: 13101, message_id: 61, reaction: [{ type: "emoji", emoji: "❤" }] },
    },
    { method: "setMessageReaction", args: { chat_id: 13101, message_id: 12, reaction: [] } },
  ]);
  expect(await results("reacts")).toEqual([
    [false, "Reacted."],
    [false, "It was taken back."],
  ]);
  expect(systemOf((await asked("reacts"))[0])).toContain("Reactions are on for telegram (minimal)");
});

test("a reaction that the platform refuses, or that is off, is an error that the agent can act on", async () => {
  const refusal = { ok: false, error_code: 400, description: "Bad Request: REACTION_INVALID" };
  await answerOnce({ method: "setMessageReaction", status: 400, body: refusal });
  await script("refused-emoji", [react({ emoji: "🦞" }), react({}), { text: "Well." }]);
  const chat = { ...chatOf(13102), replyToId: "62" };
  await settled(await hear("refused-emoji", chat, "x"), chat);
  expect(await results("refused-emoji")).toEqual([
    [true, expect.stringContaining("REACTION_INVALID")],
    [true, "Say with which `emoji`."],
  ]);
  await configure("no-emoji", (config) => {
    config.channels.telegram.accounts.default.reactionLevel = "ack";
    return config;
  });
  await script("no-emoji", [react({ emoji: "👍" }), { text: "Well." }]);
  const other = { ...chatOf(13103), replyToId: "63" };
  await settled(await hear("no-emoji", other, "x"), other);
  expect(await results("no-emoji")).toEqual([[true, "Reactions are off on telegram."]]);
  expect(systemOf((await asked("no-emoji"))[0])).not.toContain("## Reactions");
});

const launch = defineTool({
  name: "launch",
  summary: "Launch",
  description: "Launches.",
  parameters: z.strictObject({}),
  replay: "safe",
  sequential: true,
  approval: () => "Launch it?",
  run: async () => ({ text: "launched" }),
});

test("an approval is asked for with buttons, and pressing one answers it", async () => {
  const sessionKey = "agent:main:main";
  await equip(sessionKey, { extraTools: [launch] });
  await script("default", [{ calls: [{ name: "launch", args: {} }] }, { text: "It flies." }]);
  const chat = chatOf(45);
  const from = { id: 45, is_bot: false, first_name: "Owner" };
  const message = { message_id: 500, date: 1_780_000_000, chat: { id: 45, type: "private" }, from, text: "Launch" };
  await deliver({ update_id: 95_001, message });
  const asking = async () => (await callsTo(chat)).find(({ args }) => args.text?.includes("Launch it?"));
  await waitFor(async () => (await asking()) !== undefined);
  const question = await asking();
  expect(question?.args.text).not.toContain("/approve");
  const [row] = question!.args.reply_markup.inline_keyboard;
  expect(row.map((button: any) => button.text)).toEqual(["Allow once", "Always", "Deny"]);
  for (const { callback_data: data } of row) expect(new TextEncoder().encode(data).length).toBeLessThanOrEqual(64);
  const press = { id: "press-1", from, chat_instance: "1", data: row[0].callback_data, message };
  const answer = await deliver({ update_id: 95_002, callback_query: press });
  expect(await answer.json()).toEqual({ method: "answerCallbackQuery", callback_query_id: "press-1" });
  await waitFor(async () => (await sentTo(chat)).includes("It flies."));
  await equip(sessionKey, { extraTools: [] });
});

test("a stranger who presses a button has the rights of a stranger who writes", async () => {
  await script("default", [{ text: "no" }]);
  const from = { id: 13104, is_bot: false, first_name: "Mallory" };
  const message = { message_id: 1, chat: { id: 13104, type: "private" } };
  const data = "/approve allow-always";
  const press = { id: "press-2", from, chat_instance: "1", data, message };
  expect(await (await deliver({ update_id: 95_003, callback_query: press })).json()).toMatchObject({
    method: "answerCallbackQuery",
  });
  expect(await asked("default")).toHaveLength(0);
});

test("the message tool shows buttons, and pressing one says what it says", async () => {
  const buttons = [[{ label: "Tea" }, { label: "Coffee", says: "Coffee, black" }]];
  await script("tea", [
    { calls: [{ name: "message", args: { text: "What may it be?", buttons } }] },
    { text: "NO_REPLY" },
  ]);
  const chat = chatOf(13105);
  await settled(await hear("tea", chat, "Ask me"), chat);
  const [question] = await callsTo(chat);
  expect(question?.args.reply_markup).toEqual({
    inline_keyboard: [
      [
        { text: "Tea", callback_data: "Tea" },
        { text: "Coffee", callback_data: "Coffee, black" },
      ],
    ],
  });
});

test("where only the message tool speaks, the text of a reply stays in the session", async () => {
  const group: Target = { ...chatOf(-13106), kind: "group" };
  await configure("private", (config) => ({ ...config, messages: { groupChat: { visibleReplies: "message_tool" } } }));
  await script("private", [
    { text: "To myself.", calls: [{ name: "message", args: { text: "To all." } }] },
    { text: "That was that.\nMEDIA:SOUL.md" },
    { text: "In private." },
  ]);
  const runId = await hear("private", group, "Hello all");
  expect(await settled(runId, group)).toEqual(["To all."]);
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "That was that.\n" });
  const system = systemOf((await asked("private"))[0]);
  expect(system).toContain("The text of your reply stays private");
  expect(system).not.toContain("NO_REPLY");
  const chat = chatOf(13107);
  expect(await settled(await hear("private", chat, "And to me?"), chat)).toEqual(["In private."]);
});

test("only a group in which replies are sent by themselves is told of the silent token", async () => {
  await script("token", [{ text: "a" }, { text: "b" }]);
  const group: Target = { ...chatOf(-13108), kind: "group" };
  await settled(await hear("token", group, "Hello all"), group);
  await settled(await hear("token", chatOf(13108), "Hello"), chatOf(13108));
  const [inGroup, direct] = await asked("token");
  expect(systemOf(inGroup)).toContain("NO_REPLY");
  expect(JSON.stringify(direct?.body)).not.toContain("NO_REPLY");
});

test("text that the channel refused from the message tool counts as not sent, so that the reply has it", async () => {
  const refusal = { ok: false, error_code: 400, description: "Bad Request: chat not found" };
  await answerOnce({ method: "sendMessage", status: 400, body: refusal });
  await script("refused-text", [
    { calls: [{ name: "message", args: { text: "The train is late." } }] },
    { text: "The train is late.", delayMs: 300 },
  ]);
  const chat = chatOf(13109);
  expect(await settled(await hear("refused-text", chat, "Tell me"), chat)).toEqual([
    "The train is late.",
    "The train is late.",
  ]);
});

test("a model that thinks in tags is asked for them, and shows only what is final", async () => {
  await configure("tagged", (config) => {
    config.models.providers.fake.models = [{ id: "tagged", reasoningFormat: "tagged" }];
    return config;
  });
  await script("tagged", [{ text: "Let me see. <final>Yes.</final>", chunkSize: 4 }, { text: "Plain <b>." }]);
  const chat = chatOf(13110);
  await settled(await hear("tagged", chat, "Is it?", { thinking: "low" }), chat);
  await settled(await hear("tagged", chat, "Is it?"), chat);
  expect(await sentTo(chat)).toEqual(["Yes.", "Plain &lt;b&gt;."]);
  const [thinking, plain] = await asked("tagged");
  expect(systemOf(thinking)).toContain("## Reasoning Format");
  expect(systemOf(plain)).not.toContain("## Reasoning Format");
  const { messages } = await historyOf(session("tagged").sessionKey);
  expect(messages[1]).toMatchObject({
    parts: [
      { type: "reasoning", text: "Let me see. " },
      { type: "text", text: "Yes." },
    ],
  });
});

test("a fallback model is named in its prompt, and the rest of the prompt is the same", async () => {
  const fake = { baseUrl: `${env.TEST_MODEL_SERVER}/v1`, api: "openai-completions" };
  await configure("takes-over", (config) => ({
    ...config,
    agents: {
      ...config.agents,
      defaults: { ...config.agents.defaults, model: { primary: "gone/takes-over", fallbacks: ["here/took-over"] } },
    },
    models: { retry: { times: 0 }, providers: { ...config.models.providers, gone: fake, here: fake } },
  }));
  await script("takes-over", [{ status: 402, body: { error: { message: "Insufficient credits." } } }]);
  await script("took-over", [{ text: "It is me." }]);
  const { runId } = await (await call("POST", "/v1/agent", { message: "Who?", ...session("takes-over") })).json<{
    runId: string;
  }>();
  expect(await finished(runId)).toMatchObject({ model: "here/took-over" });
  const [first, second] = [systemOf((await asked("takes-over"))[0]), systemOf((await asked("took-over"))[0])];
  expect(first).toContain("| model=gone/takes-over |");
  expect(second).toBe(first.replace("model=gone/takes-over", "model=here/took-over"));
});

test("a voice's hint is in the prompt where one is configured", async () => {
  await configure("voice", (config) => ({ ...config, messages: { tts: { hint: "Short sentences, no tables." } } }));
  await script("voice", [{ text: "Yes." }]);
  const chat = chatOf(13111);
  await settled(await hear("voice", chat, "Is it?"), chat);
  expect(systemOf((await asked("voice"))[0])).toContain("## Voice (TTS)\nShort sentences, no tables.");
});

test("a sub-agent that waits for approval asks in the conversation that waits for its result", async () => {
  const name = "waiting-child";
  const chat = chatOf(13120);
  await script(name, [
    spawning("pilot"),
    { text: "Under way." },
    { text: "It is ready." },
    calling("subagents", { action: "steer", target: "pilot", message: "Launch now." }),
    { text: "It is told." },
  ]);
  await script("pilot", [{ text: "Ready." }, calling("launch", {})]);
  await hear(name, chat, "Send a pilot");
  await waitFor(async () => (await sentTo(chat)).includes("It is ready."));
  const [{ key }] = (await childrenOf(session(name).sessionKey)) as [{ key: string }];
  await equip(key, { extraTools: [launch] });
  await hear(name, chat, "Now");
  const asking = async () => (await callsTo(chat)).find(({ args }) => args.text?.includes("Launch it?"));
  await waitFor(async () => (await asking()) !== undefined);
  const question = await asking();
  expect(question?.args.text).toContain("The sub-agent &quot;pilot&quot; needs your word");
  expect(question?.args).not.toHaveProperty("reply_markup");
  const waiting = async () => (await (await call("GET", "/v1/approvals")).text()).includes(key);
  await waitFor(waiting);
  const [command] = /\/approve \S+ allow-once/.exec(question?.args.text) ?? [];
  expect(await settled(await hear(name, chat, command ?? ""), chat)).toContainEqual(
    expect.stringContaining("a call of the sub-agent"),
  );
  await waitFor(async () => !(await waiting()));
  await waitFor(async () => (await textsIn(key)).includes("launched"));
});

/** Changes the stored configuration, from which on no test can give a session another variable. */
async function change(patch: object): Promise<void> {
  expect((await call("PATCH", "/v1/config", patch, { "If-Match": "*" })).status).toBe(200);
}

test("a chat message gets the acknowledgement emoji", async () => {
  await script("default", [{ text: "Hello." }]);
  await change({ messages: { ackReaction: "👀", ackReactionScope: "all" } });
  const from = { id: 45, is_bot: false, first_name: "Owner" };
  const message = { message_id: 4242, date: 1_780_000_000, chat: { id: 45, type: "private" }, from, text: "Hi" };
  await deliver({ update_id: 95_010, message });
  const reacted = async () => (await callsTo(chatOf(45))).find(({ args }) => args.message_id === 4242);
  await waitFor(async () => (await reacted()) !== undefined);
  expect((await reacted())?.args.reaction).toEqual([{ type: "emoji", emoji: "👀" }]);
});
