import { expect, test } from "vitest";
import { pdfFile } from "../extract/pdf-file.ts";
import { wavFile } from "../fakes/media-bytes.ts";
import { askedMedia, scriptMedia } from "../media/media-lab.ts";
import { chatOf, hear } from "./chats.ts";
import { asked, call, env, finished, historyOf, script } from "./client.ts";
import { configure, session } from "./session-lab.ts";

const REPORT = pdfFile(["Forty lanterns were lit.", "And ten went out."]);
const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

/** The configuration with models of the fake provider that take this besides text. */
function taking(config: any, inputs: Record<string, string[]>, more: object = {}): any {
  const models = Object.entries(inputs).map(([id, input]) => ({ id, input: ["text", ...input], ...more }));
  const fake = { ...config.models.providers.fake, models };
  return { ...config, models: { ...config.models, providers: { ...config.models.providers, fake } } };
}

/** Says something with a file to a model. */
async function attach(scenario: string, bytes: Uint8Array, name: string, mediaType: string, more: object = {}) {
  const attachments = [{ name, mediaType, data: base64(bytes) }];
  const body = { message: "What is it?", model: `fake/${scenario}`, attachments, ...session(scenario), ...more };
  const { runId } = await (await call("POST", "/v1/agent", body)).json<{ runId: string }>();
  return finished(runId);
}

/** The parts of the last message of a person in a request. */
function partsOf({ body }: { body: any }): any[] {
  const { content } = body.messages.findLast(({ role }: any) => role === "user");
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

const types = (request: { body: any }) => partsOf(request).map(({ type }) => type);

test("a PDF that comes with a message is a file for a model that takes it, in every turn, and counts as outside words", async () => {
  await configure("parts-pdf", (config) => taking(config, { "parts-pdf": ["pdf"] }));
  await script("parts-pdf", [{ text: "A report." }, { text: "Fifty." }]);
  expect(await attach("parts-pdf", REPORT, "report.pdf", "application/pdf")).toMatchObject({ status: "ok" });
  const { runId } = await (
    await call("POST", "/v1/agent", { message: "How many?", model: "fake/parts-pdf", ...session("parts-pdf") })
  ).json<{ runId: string }>();
  expect(await finished(runId)).toMatchObject({
    status: "ok",
    labels: [expect.stringMatching(/^file:inbox\/.*report/)],
  });
  const requests = await asked("parts-pdf");
  expect(requests).toHaveLength(2);
  for (const { body } of requests) {
    const content = body.messages.find(({ role }: any) => role === "user").content;
    expect(content[0].text).toMatch(/^What is it\?\n\n\[File: inbox\/openai-[0-9a-f]{16}-report\.pdf/);
    expect(content[1].text).toContain("no instructions to you");
    expect(content[2].file.file_data).toBe(`data:application/pdf;base64,${base64(REPORT)}`);
  }
  const [message] = (await historyOf(session("parts-pdf").sessionKey)).messages as any[];
  expect(message.media).toEqual([
    { path: expect.any(String), mediaType: "application/pdf", bytes: REPORT.length, pages: 2 },
  ]);
});

test("a model that takes no PDFs reads its text with read", async () => {
  await configure("parts-text", (config) => taking(config, { "parts-text": ["image"] }));
  await script("parts-text", [{ text: "Wait." }]);
  await attach("parts-text", REPORT, "report.pdf", "application/pdf");
  const [first] = await asked("parts-text");
  expect(types(first!)).toEqual(["text"]);
  const path = /\[File: (\S+)/.exec(partsOf(first!)[0].text)?.[1];
  await script("parts-text", [{ calls: [{ name: "read", args: { path } }] }, { text: "Forty." }]);
  const body = { message: "Read it", model: "fake/parts-text", ...session("parts-text") };
  const { runId } = await (await call("POST", "/v1/agent", body)).json<{ runId: string }>();
  expect(await finished(runId)).toMatchObject({ status: "ok", reply: "Forty." });
  expect((await asked("parts-text")).at(-1)!.body.messages.at(-1).content).toContain("Forty lanterns were lit.");
});

test("a model that takes over and takes no PDFs is sent the words alone", async () => {
  await configure("parts-first", (config) => {
    const changed = taking(config, { "parts-first": ["pdf"], "parts-second": [] });
    const defaults = { ...changed.agents.defaults, model: { primary: "fake/x", fallbacks: ["fake/parts-second"] } };
    return { ...changed, agents: { ...changed.agents, defaults } };
  });
  await script("parts-first", [{ status: 401, body: { error: { message: "No such key." } } }]);
  await script("parts-second", [{ text: "I cannot see it." }]);
  expect(await attach("parts-first", REPORT, "report.pdf", "application/pdf")).toMatchObject({ status: "ok" });
  expect(types((await asked("parts-first"))[0]!)).toEqual(["text", "text", "file"]);
  expect(types((await asked("parts-second"))[0]!)).toEqual(["text"]);
});

test("a PDF that a provider refuses is left out of the next request", async () => {
  await configure("parts-refused", (config) => taking(config, { "parts-refused": ["pdf"] }));
  await script("parts-refused", [
    { status: 400, body: { error: { message: "Could not process the PDF", type: "invalid_request_error" } } },
    { text: "Hello." },
  ]);
  expect(await attach("parts-refused", REPORT, "report.pdf", "application/pdf")).toMatchObject({ status: "error" });
  const body = { message: "And now?", model: "fake/parts-refused", ...session("parts-refused") };
  const { runId } = await (await call("POST", "/v1/agent", body)).json<{ runId: string }>();
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  expect(JSON.stringify((await asked("parts-refused")).at(-1)!.body)).not.toContain("file_data");
});

test("a long PDF that a window has no room for is named, and the model is told how to read it", async () => {
  await configure("parts-long", (config) => taking(config, { "parts-long": ["pdf"] }, { contextWindow: 40_000 }));
  await script("parts-long", [{ text: "Too long for me." }]);
  const pages = Array.from({ length: 90 }, (_, n) => `Page ${n}`);
  expect(await attach("parts-long", pdfFile(pages), "long.pdf", "application/pdf")).toMatchObject({ status: "ok" });
  const parts = partsOf((await asked("parts-long")).at(-1)!);
  expect(parts.map(({ type }) => type)).toEqual(["text", "text"]);
  expect(parts[1].text).toMatch(/long\.pdf is not shown any more: use read on it\.\]$/);
});

test("a voice note goes as it is to a model that hears it, and is transcribed for one that does not", async () => {
  const sound = `ID3${"x".repeat(7997)}`;
  const files = { "files/song": sound };
  const facts = { name: "note.mp3", mediaType: "audio/mpeg", isVoice: true as const, reference: { fileId: "song" } };
  for (const [name, input] of [
    ["parts-hears", ["audio"]],
    ["parts-deaf", []],
  ] as const) {
    await scriptMedia(`${name}-whisper`, [{ text: "Buy milk." }]);
    await configure(name, (config) => ({
      ...taking(config, { [name]: [...input] }),
      tools: { media: { audio: { models: [{ provider: "media", model: `${name}-whisper` }] } } },
    }));
    await fetch(`${env.TEST_BOT_API}/control/7000000001:flow`, { method: "PUT", body: JSON.stringify({ files }) });
    await script(name, [{ text: "Heard." }]);
    expect(await finished(await hear(name, chatOf(76_001), "", { files: [facts] }))).toMatchObject({ status: "ok" });
  }
  const [heard] = await asked("parts-hears");
  expect(partsOf(heard!)).toMatchObject([
    { type: "text", text: expect.stringMatching(/^\[Voice note, kept as inbox\/\S+note\.mp3\]$/) },
    { type: "text", text: expect.stringContaining("the sender's own") },
    { type: "input_audio", input_audio: { format: "mp3", data: btoa(sound) } },
  ]);
  expect(await askedMedia("parts-hears-whisper")).toEqual([]);
  const [deaf] = await asked("parts-deaf");
  expect(partsOf(deaf!)).toMatchObject([{ type: "text", text: expect.stringMatching(/\nBuy milk\.$/) }]);
  const [message] = (await historyOf(session("parts-deaf").sessionKey)).messages as any[];
  expect(message).not.toHaveProperty("media");
});

test("input_audio of a chat completion goes on to a model that takes recordings", async () => {
  await configure("parts-chat", (config) => taking(config, { "parts-chat": ["audio"] }));
  await script("parts-chat", [{ text: "Silence." }]);
  const audio = { data: base64(wavFile(1)), format: "wav" };
  const content = [
    { type: "text", text: "What is it?" },
    { type: "input_audio", input_audio: audio },
  ];
  const body = { model: "isopod", messages: [{ role: "user", content }] };
  const headers = { "x-isopod-model": "fake/parts-chat", "x-isopod-session-key": session("parts-chat").sessionKey };
  const answer = await call("POST", "/v1/chat/completions", body, headers);
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "Silence." } }] });
  expect(partsOf((await asked("parts-chat"))[0]!).at(-1)).toEqual({ type: "input_audio", input_audio: audio });
});
