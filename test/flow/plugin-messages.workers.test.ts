import { expect, test } from "vitest";
import type { HookTable } from "../../src/plugins/hook.ts";
import { definePlugin } from "../../src/plugins/plugin.ts";
import { chatOf, hear, sentTo, settled } from "./chats.ts";
import { call, finished, historyOf, script, waitFor } from "./client.ts";
import { kill as killKey, ring } from "./family-lab.ts";
import { arm, configure, dumpTool, kill, plug, session, sql } from "./session-lab.ts";

const tester = (hooks: HookTable<unknown>) => definePlugin({ name: "tester", summary: "Tests", hooks });

/** What the audit trail says of messages of a session, oldest first. */
async function linesOf(name: string): Promise<unknown[][]> {
  const answer = await call("GET", "/v1/audit?kind=message&limit=200");
  const { entries } = await answer.json<{ entries: Record<string, unknown>[] }>();
  const own = entries.filter(({ sessionKey }) => sessionKey === session(name).sessionKey);
  return own.reverse().map(({ by, subject, detail }) => [by, subject, detail]);
}

test("people are sent what plugins make of a reply, and the transcript keeps what the model said", async () => {
  const name = "sending";
  await script(name, [{ text: "The code is **4711**." }]);
  const told: unknown[] = [];
  await plug(name, [
    tester({
      message_sending: { run: async ({ content }) => ({ content: content.replace("4711", "xxxx") }) },
      message_sent: { run: ({ content, outcome }) => void told.push([content, outcome]) },
    }),
  ]);
  const chat = chatOf(9301);
  expect(await settled(await hear(name, chat, "Tell me"), chat)).toEqual(["The code is <b>xxxx</b>."]);
  const { messages } = await historyOf(session(name).sessionKey);
  expect(messages.at(-1)).toMatchObject({ parts: [{ text: "The code is **4711**." }] });
  await waitFor(async () => told.length === 1 && (await linesOf(name)).length === 1);
  expect(told).toEqual([["The code is <b>xxxx</b>.", "delivered"]]);
  expect(await linesOf(name)).toEqual([["tester", "telegram", "content"]]);
});

test("a reply that a plugin cancels is sent to nobody, and the run says who cancelled it", async () => {
  const name = "cancelling";
  await script(name, [{ text: "A secret." }]);
  await plug(name, [tester({ message_sending: { run: ({ content }) => ({ cancel: content.includes("secret") }) } })]);
  const chat = chatOf(9302);
  const runId = await hear(name, chat, "Tell me");
  expect(await settled(runId, chat)).toEqual([]);
  expect(await finished(runId)).toMatchObject({
    status: "ok",
    reply: "A secret.",
    deliveries: [{ status: "failed", reason: "The plugin tester cancelled it." }],
  });
  await waitFor(async () => (await linesOf(name)).length === 1);
  expect(await linesOf(name)).toEqual([["tester", "telegram", "cancelled"]]);
});

test("a reply is looked at whole, also where it would leave in blocks, and what it becomes arrives in order", async () => {
  const name = "looked-at";
  const paragraph = (word: string) => `${word} ${"and so it goes on for quite a while, ".repeat(24)}until it ends.`;
  const text = ["One", "Two"].map(paragraph).join("\n\n");
  await script(name, [{ text }]);
  const seen: string[] = [];
  const longer = (content: string) => {
    seen.push(content);
    return { content: `${content}\n\n${"x".repeat(4000)}\n\n${"y".repeat(4000)}` };
  };
  await plug(name, [tester({ message_sending: { run: ({ content }) => longer(content) } })]);
  const chat = chatOf(9303, "blocks");
  const parts = await settled(await hear(name, chat, "Tell me"), chat);
  expect(seen).toEqual([text]);
  expect(parts.map((part) => part.slice(0, 3))).toEqual(["One", "xxx", "yyy"]);
});

test("message_sending also gets the answers of commands and the lines on tool calls", async () => {
  const name = "looked-at-all";
  await script(name, [{ calls: [{ name: "ls", args: {} }] }, { text: "Done." }]);
  const seen: string[] = [];
  await plug(name, [tester({ message_sending: { run: ({ content }) => void seen.push(content) } })]);
  const chat = chatOf(9307);
  for (const text of ["/verbose on", "Look around"]) await settled(await hear(name, chat, text), chat);
  expect(seen).toEqual([expect.stringMatching(/\*\*on\*\*/), expect.stringContaining("ls"), "Done."]);
});

/** A call of the message tool. */
const message = (args: object) => ({ calls: [{ name: "message", args }] });

test("a message of the message tool that a plugin cancels is not sent, the model is told, and an equal reply is sent", async () => {
  const name = "cancelled-message";
  await script(name, [message({ text: "Your train leaves at 9:41." }), { text: "Your train leaves at 9:41." }]);
  let looks = 0;
  // Slower than the model's reply would be.
  const look = async () => {
    const isFirst = looks++ === 0;
    if (isFirst) await new Promise((resolve) => setTimeout(resolve, 400));
    return { cancel: isFirst };
  };
  await plug(name, [tester({ message_sending: { run: look } })]);
  const chat = chatOf(9308);
  expect(await settled(await hear(name, chat, "When?"), chat)).toEqual(["Your train leaves at 9:41."]);
  const { messages } = await historyOf(session(name).sessionKey);
  expect(messages).toContainEqual(
    expect.objectContaining({ role: "tool", isError: true, text: expect.stringContaining("tester cancelled it") }),
  );
});

test("a message that a plugin cancels does not reach the recipient's session, and a changed one counts as sent", async () => {
  const name = "cancelled-note";
  await script(name, [
    message({ text: "A secret.", to: "telegram:9310" }),
    message({ text: "The code is 4711." }),
    { text: "The code is 4711." },
  ]);
  const look = ({ content }: { content: string }) => ({
    cancel: content.includes("secret"),
    content: content.replace("4711", "xxxx"),
  });
  await plug(name, [tester({ message_sending: { run: look } })]);
  const chat = chatOf(9309);
  expect(await settled(await hear(name, chat, "Tell them"), chat)).toEqual(["The code is xxxx."]);
  expect(await sentTo(chatOf(9310))).toEqual([]);
  expect(await sql(name, "select text from outbox")).toEqual([{ text: "The code is xxxx." }]);
});

test("a message of the tool that was let through is not looked at again where its call is run again", async () => {
  const name = "looked-once";
  const chat = chatOf(9311);
  await script(name, [{ calls: [...message({ text: "Once." }).calls, { name: "dump" }] }, { hang: true }]);
  await arm(name, [{ ...dumpTool(() => ""), run: () => new Promise<never>(() => undefined) }]);
  let looks = 0;
  const once = tester({ message_sending: { run: () => ({ cancel: looks++ > 0 }) } });
  await plug(name, [once]);
  const runId = await hear(name, chat, "Send");
  const results = 'from messages where body like \'%"role":"tool"%\'';
  await waitFor(async () => (await sql(name, `select 1 as n ${results}`)).length === 1);
  await waitFor(async () => (await sql(name, "select 1 as n from outbox where status = 'delivered'")).length === 1);
  await sql(name, `delete ${results}`);
  await kill(name, [once]);
  await waitFor(async () => (await sql(name, `select 1 as n ${results} and body like '%queued%'`)).length === 1);
  await call("POST", `/v1/runs/${runId}/abort`);
  expect(await settled(runId, chat)).toEqual(["Once."]);
});

test("a reply whose object dies in a message_sending hook goes through the hook again and is sent once", async () => {
  const name = "sending-crash";
  await script(name, [{ text: "Hello." }]);
  let looks = 0;
  const look = () => {
    looks++;
    return new Promise<undefined>(() => {});
  };
  await plug(name, [tester({ message_sending: { run: look } })]);
  const chat = chatOf(9304);
  const runId = await hear(name, chat, "Hi");
  await waitFor(async () => looks === 1);
  expect(await sentTo(chat)).toEqual([]);
  await kill(name);
  expect(await settled(runId, chat)).toEqual(["Hello."]);
});

test("a message to an agent that is no longer configured ends with an error", async () => {
  const name = "gone-agent";
  await plug(name, [tester({ command: { run: () => undefined }, message_sending: { run: () => undefined } })]);
  await configure(name, (config) => ({ ...config, agents: { ...config.agents, list: [{ id: "other" }] } }));
  const chat = chatOf(9305);
  const answers = await settled(await hear(name, chat, "/context"), chat);
  expect(answers).toEqual([expect.stringContaining("agent 'main' is not configured")]);
});

test("a reply is not sent when its plugins cannot run", async () => {
  const name = "unvetted";
  const { sessionKey } = session(name);
  let looks = 0;
  await script(name, [{ text: "The code is 4711." }]);
  const look = () => {
    looks++;
    return new Promise<undefined>(() => undefined);
  };
  await plug(name, [tester({ message_sending: { run: look } })]);
  const chat = chatOf(9306);
  const runId = await hear(name, chat, "Tell me");
  await waitFor(async () => looks === 1);
  await killKey(sessionKey);
  await configure(name, () => ({ nonsense: true }));
  await ring(sessionKey);
  const statusOf = async () => (await sql<{ status: string }>(name, "select status from outbox"))[0]?.status;
  await waitFor(async () => (await statusOf()) === "failed");
  // Sent again by a person, it is looked at again.
  expect(await sql(name, "select text, draft from outbox")).toEqual([{ text: "The code is 4711.", draft: 1 }]);
  expect(await finished(runId)).toMatchObject({ deliveries: [{ status: "failed" }] });
});
