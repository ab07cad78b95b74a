import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { callsTo, chatOf, hear, settled } from "./chats.ts";
import { asked, call, eventsOf, finished, historyOf, script } from "./client.ts";
import { configure, plug, session, sql } from "./session-lab.ts";

/** What a chat was sent: the method, what it answers, and the text or the file. */
async function sent(chat: ReturnType<typeof chatOf>) {
  return (await callsTo(chat)).map(({ method, args }) => {
    const file = args.photo ?? args.document ?? args.audio ?? args.voice ?? args.video;
    return [method, args.reply_parameters?.message_id, args.text ?? `${file.name} ${file.type} ${file.text}`];
  });
}

async function put(path: string, content: string) {
  await call("PUT", `/v1/agents/main/workspace/${path}`, content);
}

test("a reply answers a message natively where it says so, and nobody sees the tag", async () => {
  await script("tags", [
    { text: "[[reply_to_current]] Yes.", chunkSize: 3 },
    { text: "[[reply_to: 7 ]]\nThat one." },
    { text: "No tag." },
  ]);
  const chat = { ...chatOf(13201), replyToId: "55" };
  const runId = await hear("tags", chat, "Is it?");
  await settled(runId, chat);
  await settled(await hear("tags", chat, "Which?"), chat);
  await settled(await hear("tags", chat, "And?"), chat);
  expect(await sent(chat)).toEqual([
    ["sendMessage", 55, "Yes."],
    ["sendMessage", 7, "That one."],
    ["sendMessage", undefined, "No tag."],
  ]);
  const { messages } = await historyOf(session("tags").sessionKey);
  expect(messages[1]).toMatchObject({
    parts: [{ type: "text", text: "Yes.", raw: "[[reply_to_current]] Yes." }],
    directives: { replyTo: "current" },
  });
  const heard = (await eventsOf(runId)).flatMap((event) =>
    event.type === "assistant" && event.phase === "message" ? [event.message.parts] : [],
  );
  expect(heard).toEqual([(messages[1] as { parts: unknown } | undefined)?.parts]);
  expect(await finished(runId)).toMatchObject({ reply: "Yes." });
  const { messages: seen } = (await asked("tags"))[1]!.body;
  expect(seen.at(-2)).toMatchObject({ role: "assistant", content: "[[reply_to_current]] Yes." });
});

test("in a reply in blocks the first block after the tag is a native reply, and the others follow it", async () => {
  const [one, two] = ["First part of it. ".repeat(60).trim(), "Second part of it. ".repeat(60).trim()];
  await script("tag-blocks", [{ text: `[[reply_to_current]]\n${one}\n\n${two}`, chunkSize: 11 }]);
  const chat = { ...chatOf(13202, "blocks"), replyToId: "56" };
  await settled(await hear("tag-blocks", chat, "Tell me"), chat);
  expect(await sent(chat)).toEqual([
    ["sendMessage", 56, one],
    ["sendMessage", undefined, two],
  ]);
});

test("an account may have its first text, or each, answer natively", async () => {
  for (const [at, mode] of ["first", "all"].entries()) {
    const name = `mode-${mode}`;
    await configure(name, (config) => {
      config.channels.telegram.accounts.default.replyToMode = mode;
      return config;
    });
    await script(name, [{ text: "Long. ".repeat(1000).trim() }]);
    const chat = { ...chatOf(13203 + at), replyToId: "57" };
    await settled(await hear(name, chat, "Tell me"), chat);
    expect((await sent(chat)).map(([, replyTo]) => replyTo)).toEqual([57, mode === "all" ? 57 : undefined]);
  }
});

test("files that replies name are sent after the text, each in its own way and once", async () => {
  await put("out/a_b.png", "png");
  await put("out/notes.md", "# Notes");
  await put("out/hello.ogg", "ogg");
  await script("files", [
    { text: "Here:\nMEDIA:out/a_b.png\nMEDIA: /workspace/out/notes.md", calls: [{ name: "ls", args: {} }] },
    { text: "[[audio_as_voice]] There.\nMEDIA:out/a_b.png\nMEDIA:out/hello.ogg\nMEDIA:out/none.pdf" },
  ]);
  const chat = chatOf(13205);
  const runId = await hear("files", chat, "Send them");
  await settled(runId, chat);
  expect(await sent(chat)).toEqual([
    ["sendMessage", undefined, "There."],
    ["sendMessage", undefined, expect.stringMatching(/The file <code>out\/none\.pdf<\/code> was not sent: /)],
    ["sendPhoto", undefined, "a_b.png image/png png"],
    ["sendDocument", undefined, "notes.md text/markdown; charset=utf-8 # Notes"],
    ["sendVoice", undefined, "hello.ogg audio/ogg ogg"],
  ]);
  const rows = await sql<{ text: string; source: string }>(
    "files",
    "select text, source from outbox order by id desc limit 1",
  );
  expect(rows).toMatchObject([
    { text: "📎 <code>hello.ogg</code>", source: expect.stringContaining('"path":"out/hello.ogg"') },
  ]);
});

test("a picture that the platform does not take as one goes out as a document", async () => {
  await put("wide.png", "wide");
  await script("wide", [{ text: "MEDIA:wide.png" }]);
  const chat = chatOf(13206);
  const refusal = { ok: false, error_code: 400, description: "Bad Request: PHOTO_INVALID_DIMENSIONS" };
  const answers = [{ method: "sendPhoto", status: 400, body: refusal }];
  await fetch(`${env.TEST_BOT_API}/control/7000000001:flow`, { method: "PUT", body: JSON.stringify({ answers }) });
  await settled(await hear("wide", chat, "Send it"), chat);
  expect((await sent(chat)).map(([method]) => method)).toEqual(["sendPhoto", "sendDocument"]);
});

test("a sender who is not an owner gets no file, whatever the model writes", async () => {
  await script("thief", [
    { text: "Sure.\nMEDIA:SOUL.md", calls: [{ name: "message", args: { text: "x", files: ["SOUL.md"] } }] },
    { text: "There.\nMEDIA:SOUL.md" },
  ]);
  const chat = chatOf(13207);
  await settled(await hear("thief", chat, "Send me SOUL.md", { sender: { id: "13207", owner: false } }), chat);
  expect(await sent(chat)).toEqual([
    ["sendMessage", undefined, "There."],
    ["sendMessage", undefined, "⚠️ No file was sent: only an owner may have files of the workspace sent."],
  ]);
  const { tools } = (await asked("thief"))[0]!.body;
  expect(JSON.stringify(tools)).not.toContain('"files"');
});

test("the message tool sends files and takes tags, and says what is wrong with them", async () => {
  await put("plan.txt", "Dig.");
  await script("tool-files", [
    { calls: [{ name: "message", args: { text: "[[reply_to_current]] The plan:", files: ["plan.txt"] } }] },
    { calls: [{ name: "message", args: { text: "Another.", files: ["no.txt"] } }] },
    { text: "NO_REPLY" },
  ]);
  const chat = { ...chatOf(13208), replyToId: "58" };
  await settled(await hear("tool-files", chat, "Send it"), chat);
  expect(await sent(chat)).toEqual([
    ["sendMessage", 58, "The plan:"],
    ["sendDocument", undefined, "plan.txt text/plain; charset=utf-8 Dig."],
  ]);
  const { messages } = await historyOf(session("tool-files").sessionKey);
  expect(messages[4]).toMatchObject({ isError: true, text: expect.stringContaining("`no.txt` was not sent") });
});

test("a plugin that keeps texts back keeps files back as well", async () => {
  await put("secret.txt", "Sh.");
  await script("kept-back", [{ text: "Look:\nMEDIA:secret.txt" }]);
  const hooks = {
    message_sending: { run: ({ content }: { content: string }) => (content.includes("📎") ? { cancel: true } : {}) },
  };
  await plug("kept-back", [{ name: "censor", summary: "Keeps back", hooks }]);
  const chat = chatOf(13209);
  await settled(await hear("kept-back", chat, "Send it"), chat);
  expect(await sent(chat)).toEqual([["sendMessage", undefined, "Look:"]]);
});
