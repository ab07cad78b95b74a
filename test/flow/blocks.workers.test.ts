import { expect, test } from "vitest";
import { chatOf, hear, sentTo, settled } from "./chats.ts";
import { asked, call, eventsOf, finished, historyOf, script, waitFor } from "./client.ts";
import { arm, configure, dumpTool, kill, rewrite, session, sql } from "./session-lab.ts";

/** A paragraph of about 900 characters that begins with a word of its own. */
const paragraph = (word: string) => `${word} ${"and so it goes on for quite a while, ".repeat(24)}until it ends.`;
const ONE = paragraph("One");
const TWO = paragraph("Two");
const THREE = paragraph("Three");

/** A reply of which the first block is complete, and the rest does not come. */
const stuck = (text: string) => ({ text, chunkSize: 950, hangAfterChunks: 2 });

async function transcriptOf(name: string): Promise<[string, string, string?][]> {
  const { messages } = await historyOf(session(name).sessionKey);
  return messages.map((message: any) => [
    message.role,
    message.text ?? message.parts.map((part: any) => part.text ?? part.tool).join("|"),
    ...(message.stop === undefined ? [] : [message.stop]),
  ]) as [string, string, string?][];
}

test("a long reply arrives in blocks, whole and in order, and is one message in the transcript", async () => {
  const text = [ONE, TWO, THREE].join("\n\n");
  await script("blocks", [{ text, chunkSize: 7 }]);
  const chat = chatOf(9101, "blocks");
  const runId = await hear("blocks", chat, "Tell me");
  expect(await settled(runId, chat)).toEqual([ONE, TWO, THREE]);
  expect(await transcriptOf("blocks")).toEqual([
    ["user", "Tell me"],
    ["assistant", text, "stop"],
  ]);
  const deltas = (await eventsOf(runId)).filter((event) => event.type === "assistant" && event.phase === "delta");
  expect(deltas).toEqual([]);
});

test("a block leaves while the rest of the reply is still being written", async () => {
  await script("blocks-early", [stuck(`${ONE}\n\n${TWO}`)]);
  const chat = chatOf(9102, "blocks");
  const runId = await hear("blocks-early", chat, "Tell me");
  await waitFor(async () => (await sentTo(chat)).length === 1);
  expect(await sentTo(chat)).toEqual([ONE]);
  expect(await call("GET", `/v1/runs/${runId}`).then((run) => run.json())).toMatchObject({ status: "running" });
  await call("POST", `/v1/runs/${runId}/abort`);
  expect(await settled(runId, chat)).toEqual([ONE]);
  expect((await transcriptOf("blocks-early")).at(-1)).toMatchObject([
    "assistant",
    expect.stringContaining(ONE),
    "aborted",
  ]);
});

test("when the object dies in the middle of a reply in blocks, the sent blocks are kept as an interrupted reply and the model continues", async () => {
  await script("blocks-crash", [stuck(`${ONE}\n\n${TWO}`), { text: "The rest of it." }]);
  const chat = chatOf(9103, "blocks");
  const runId = await hear("blocks-crash", chat, "Tell me");
  await waitFor(async () => (await sentTo(chat)).length === 1);
  await kill("blocks-crash");
  expect(await settled(runId, chat)).toEqual([ONE, "The rest of it."]);
  expect(await transcriptOf("blocks-crash")).toEqual([
    ["user", "Tell me"],
    ["assistant", `${ONE}\n\n`, "aborted"],
    ["assistant", "The rest of it.", "stop"],
  ]);
  const { messages, tools } = (await asked("blocks-crash"))[1]!.body;
  expect(messages.slice(-2)).toMatchObject([
    { role: "assistant", content: `${ONE}\n\n` },
    { role: "user", content: expect.stringMatching(/^\[System\] Your reply broke off here/) },
  ]);
  expect(tools.map((tool: any) => tool.function.name)).toContain("read");
  expect((await eventsOf(runId)).filter(({ type }) => type === "assistant")).toHaveLength(2);
});

test("a run that crashes again and again after sending blocks is given up, and the sent blocks are kept", async () => {
  await script("blocks-loop", [stuck(`${ONE}\n\n${TWO}`)]);
  const chat = chatOf(9104, "blocks");
  const runId = await hear("blocks-loop", chat, "Tell me");
  for (let crashes = 1; crashes <= 5; crashes++) {
    await waitFor(async () => (await sentTo(chat)).length === crashes);
    await kill("blocks-loop");
  }
  expect(await finished(runId)).toMatchObject({ status: "error", error: { code: "crash_loop" } });
  expect((await transcriptOf("blocks-loop")).filter(([, , stop]) => stop === "aborted")).toHaveLength(5);
});

test("at the end of a message, blocks leave once it is finished", async () => {
  const defaults = {
    blockStreamingDefault: "on",
    blockStreamingBreak: "message_end",
    blockStreamingChunk: { minChars: 5, maxChars: 40 },
  };
  await configure("blocks-end", (config) => ({
    ...config,
    agents: { ...config.agents, defaults: { ...config.agents.defaults, ...defaults } },
  }));
  const lines = "The first line.\n\nThe second line.\n\nThe third.";
  await script("blocks-end", [
    { text: lines, calls: [{ name: "dump" }] },
    { text: lines, chunkSize: 20, hangAfterChunks: 3 },
  ]);
  await arm("blocks-end", [dumpTool(() => "x")]);
  const chat = chatOf(9109);
  const runId = await hear("blocks-end", chat, "Lines");
  await waitFor(async () => (await asked("blocks-end")).length === 2);
  await waitFor(async () => JSON.stringify(await sentTo(chat)).includes("third"));
  await new Promise((resolve) => setTimeout(resolve, 100));
  await call("POST", `/v1/runs/${runId}/abort`);
  expect(await settled(runId, chat)).toEqual(["The first line.", "The second line.", "The third."]);
});

test("code that is longer than a block has its fence in each block", async () => {
  const lines = Array.from({ length: 120 }, (_, n) => `const value${n} = ${n}; // a line of code`);
  await script("blocks-code", [{ text: `Here:\n\n\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n\nThat is it.` }]);
  const chat = chatOf(9105, "blocks");
  const sent = await settled(await hear("blocks-code", chat, "Code"), chat);
  expect(sent.length).toBeGreaterThan(3);
  for (const part of sent.slice(1, -1)) expect(part).toMatch(/^<pre><code class="language-ts">[^<]*<\/code><\/pre>/);
  const code = sent.flatMap((part) => Array.from(part.matchAll(/<code[^>]*>([^<]*)<\/code>/g), ([, inside]) => inside));
  expect(code.join("\n")).toBe(lines.join("\n"));
});

test("what a reply says before it calls a tool is sent before the tool is launched", async () => {
  await script("blocks-tool", [{ text: "Let me look.", calls: [{ name: "dump" }] }, { text: "There it is." }]);
  const chat = chatOf(9106, "blocks");
  let before: string[] = [];
  const look = {
    ...dumpTool(() => "x"),
    run: async () => {
      await waitFor(async () => (await sentTo(chat)).length > 0);
      before = await sentTo(chat);
      return { text: "x" };
    },
  };
  await arm("blocks-tool", [look]);
  expect(await settled(await hear("blocks-tool", chat, "Look"), chat)).toEqual(["Let me look.", "There it is."]);
  expect(before).toEqual(["Let me look."]);
});

test("the silent token never leaves in a block, and reasoning comes before the first one", async () => {
  const chat = chatOf(9107, "blocks");
  await script("blocks-silent", [
    { text: "NO_REPLY", chunkSize: 1 },
    { text: `NO_REPLY\n\n${ONE}\n\n<think>Enough?</think>${TWO}\n\nNO_REPLY`, chunkSize: 5, reasoning: "Tell them." },
  ]);
  expect(await settled(await hear("blocks-silent", chat, "Psst"), chat)).toEqual([]);
  await rewrite("blocks-silent", `update session set settings = '{"reasoning":"on"}'`);
  expect(await settled(await hear("blocks-silent", chat, "Go on"), chat)).toEqual([
    "Reasoning:\n\n<blockquote>Tell them.</blockquote>",
    ONE,
    TWO,
  ]);
});

test("a reply that was sent wholly in blocks is followed by what it has used, where people want to know", async () => {
  const chat = chatOf(9112, "blocks");
  await script("blocks-usage", [{ text: "Hi." }, { text: `${ONE}\n\n`, chunkSize: 9 }]);
  await settled(await hear("blocks-usage", chat, "Hi"), chat);
  await rewrite("blocks-usage", `update session set settings = '{"usage":"tokens"}'`);
  const sent = await settled(await hear("blocks-usage", chat, "Tell me"), chat);
  expect(sent).toEqual(["Hi.", ONE, "<i>10 tokens in, 5 out</i>"]);
});

test("each block writes one row more, and a whole reply writes none", async () => {
  await script("blocks-rows", [{ text: `${ONE}\n\n${TWO}`, chunkSize: 9 }]);
  const whole = chatOf(9108);
  expect(await settled(await hear("blocks-rows", whole, "Whole"), whole)).toEqual([`${ONE}\n\n${TWO}`]);
  expect(await sql("blocks-rows", "select source from outbox")).toEqual([{ source: null }]);
});

test("text that the message tool has sent is not sent again in blocks", async () => {
  const args = { text: `${ONE}\n\n${TWO}` };
  await script("blocks-known", [{ calls: [{ name: "message", args }] }, { text: `${ONE}\n\n${TWO}\n\n${THREE}` }]);
  const chat = chatOf(9110, "blocks");
  const sent = await settled(await hear("blocks-known", chat, "Tell me"), chat);
  expect(sent).toEqual([`${ONE}\n\n${TWO}`, THREE]);
});
