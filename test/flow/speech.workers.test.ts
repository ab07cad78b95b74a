import { expect, test } from "vitest";
import { MP3, OGG } from "../fakes/media-bytes.ts";
import type { MediaAnswer } from "../fakes/media-server.ts";
import { askedMedia, scriptMedia } from "../media/media-lab.ts";
import { callsTo, chatOf, hear, settled } from "./chats.ts";
import { asked, finished, historyOf, say, script } from "./client.ts";
import { configure, session } from "./session-lab.ts";

/** A session whose replies `model` reads aloud. */
async function speaking(name: string, tts: object, answers: MediaAnswer[] = []): Promise<void> {
  await scriptMedia(name, answers);
  const providers = { media: { model: name, voice: "nova" } };
  await configure(name, (config) => ({ ...config, messages: { tts: { provider: "media", providers, ...tts } } }));
}

/** What a chat was sent: the method, and the text or the file. */
async function sent(chat: ReturnType<typeof chatOf>) {
  return (await callsTo(chat)).map(({ method, args }) => {
    const file = args.photo ?? args.document ?? args.audio ?? args.voice;
    return [method, args.text ?? `${file.name} ${file.type}`];
  });
}

const SPOKEN = expect.stringMatching(/^speech-[0-9a-f]{16}\.ogg audio\/ogg$/);

test("a reply with [[tts]] is sent as text and as a voice note, and nobody sees the tag", async () => {
  await speaking("tts-tagged", { auto: "tagged" });
  await script("tts-tagged", [
    { text: "[[tts:voice=alloy]] **Good** morning, [Ada](https://example.org)." },
    { text: "Just text." },
  ]);
  const chat = chatOf(73_001);
  await settled(await hear("tts-tagged", chat, "Say hello"), chat);
  await settled(await hear("tts-tagged", chat, "And write"), chat);
  expect(await sent(chat)).toEqual([
    ["sendMessage", expect.stringContaining("<b>Good</b> morning")],
    ["sendVoice", SPOKEN],
    ["sendMessage", "Just text."],
  ]);
  const [request, ...more] = await askedMedia("tts-tagged");
  expect(more).toEqual([]);
  expect(request).toMatchObject({ path: "audio/speech", fields: { voice: "alloy", response_format: "opus" } });
  expect(request!.fields.input).toMatch(/^Good morning, Ada/);
  const [{ body }] = (await asked("tts-tagged")) as [any];
  expect(body.messages[0].content).toContain("## Voice (TTS)\nA reply with [[tts]] in it");
});

test("words that are only spoken are not shown, and the reply keeps them for the model", async () => {
  await speaking("tts-text", { auto: "tagged" });
  await script("tts-text", [{ text: "Here you are. [[tts:text]](laughs) Really?[[/tts:text]]", chunkSize: 3 }]);
  const chat = chatOf(73_002);
  await settled(await hear("tts-text", chat, "Laugh"), chat);
  expect(await sent(chat)).toEqual([
    ["sendMessage", "Here you are."],
    ["sendVoice", SPOKEN],
  ]);
  expect((await askedMedia("tts-text"))[0]!.fields).toMatchObject({ input: "(laughs) Really?", voice: "nova" });
});

test("a reply to a voice note is read aloud where the mode is inbound, and another one is not", async () => {
  await speaking("tts-inbound", { auto: "inbound" });
  await script("tts-inbound", [{ text: "I have heard you." }]);
  const chat = chatOf(73_003);
  await settled(await hear("tts-inbound", chat, "Hello", { isSpoken: true }), chat);
  await settled(await hear("tts-inbound", chat, "Hello"), chat);
  expect((await sent(chat)).map(([method]) => method)).toEqual(["sendMessage", "sendVoice", "sendMessage"]);
});

test("a reply that cannot be read aloud is sent as text, with the reason", async () => {
  const refusal = { error: { message: "The voice is unknown." } };
  const stories: [string, object, MediaAnswer, RegExp][] = [
    ["tts-400", {}, { status: 400, body: refusal }, /does not take the request: The voice is unknown\./],
    ["tts-500", {}, { status: 500, body: {} }, /gave no whole answer/],
    ["tts-slow", { timeoutMs: 1000 }, { hang: true }, /no whole answer within 1000 ms/],
    ["tts-noise", {}, { base64: btoa("no audio") }, /gave an answer that is no audio/],
    ["tts-long", { maxTextLength: 5 }, {}, /it has 12 characters, and messages\.tts\.maxTextLength is 5/],
  ];
  for (const [at, [name, tts, answer, reason]] of stories.entries()) {
    await speaking(name, { auto: "tagged", ...tts }, [answer]);
    await script(name, [{ text: "[[tts]] Hello there." }]);
    const chat = chatOf(73_010 + at);
    await settled(await hear(name, chat, "Speak"), chat);
    expect(await sent(chat)).toEqual([
      ["sendMessage", "Hello there."],
      ["sendMessage", expect.stringMatching(/^⚠️ The reply was not read aloud: /)],
    ]);
    expect((await sent(chat))[1]![1]).toMatch(reason);
  }
});

test("what the tts tool makes is sent with the reply as a voice note, once, and its cost counts", async () => {
  await speaking("tts-tool", {});
  await script("tts-tool", [{ calls: [{ name: "tts", args: { text: "Good night." } }] }, { text: "Listen. [[tts]]" }]);
  const chat = chatOf(73_020);
  const runId = await hear("tts-tool", chat, "Read me a story");
  await settled(runId, chat);
  expect(await sent(chat)).toEqual([
    ["sendMessage", "Listen."],
    ["sendVoice", SPOKEN],
  ]);
  const { messages } = await historyOf(session("tts-tool").sessionKey);
  expect(messages[2]).toMatchObject({
    tool: "tts",
    isError: false,
    text: expect.stringMatching(/^Stored as media\/speech-[0-9a-f]{16}\.ogg\.\nIt is sent with your reply/),
  });
  expect(await finished(runId)).toMatchObject({ usage: { input: 20, output: 10 } });
});

test("where nobody is sent anything, the tool says only where the file is", async () => {
  await speaking("tts-page", {}, [{ base64: MP3 }]);
  await script("tts-page", [{ calls: [{ name: "tts", args: { text: "Good night." } }] }, { text: "Done." }]);
  await finished((await say("Read it", "tts-page", session("tts-page"))).runId);
  const { messages } = await historyOf(session("tts-page").sessionKey);
  expect((messages[2] as any).text).toMatch(/^Stored as media\/speech-[0-9a-f]{16}\.mp3\.$/);
  expect(messages[2]).not.toHaveProperty("files");
});

test("a sender who is not an owner gets the voice note of the reply, and no file of the workspace", async () => {
  await speaking("tts-guest", { auto: "always" }, [{ base64: OGG }]);
  await script("tts-guest", [{ text: "Welcome, stranger.\nMEDIA:SOUL.md" }]);
  const chat = chatOf(73_030);
  await settled(await hear("tts-guest", chat, "Hi", { sender: { id: "73030", owner: false } }), chat);
  expect(await sent(chat)).toEqual([
    ["sendMessage", "Welcome, stranger."],
    ["sendMessage", expect.stringContaining("No file was sent")],
    ["sendVoice", SPOKEN],
  ]);
});

test("there is no tts tool and no voice section where nobody reads aloud", async () => {
  await script("tts-none", [{ text: "[[tts]] ok" }]);
  await finished((await say("x", "tts-none", session("tts-none"))).runId);
  const [{ body }] = (await asked("tts-none")) as [any];
  expect(body.tools.map((tool: any) => tool.function.name)).not.toContain("tts");
  expect(JSON.stringify(body.messages)).not.toContain("Voice (TTS)");
});
