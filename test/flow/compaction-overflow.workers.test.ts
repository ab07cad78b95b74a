import { env } from "cloudflare:test";
import { describe, expect, inject, test } from "vitest";
import { chatOf, hear, settled } from "./chats.ts";
import { asked, eventsOf, finished, historyOf, say, script } from "./client.ts";
import { tinyWindow } from "./config.ts";
import { compactionsIn, overflow, pages, requestsOf, talked } from "./context-lab.ts";
import { armWithDump, configure, rewrite, session } from "./session-lab.ts";

const url = `${env.TEST_MODEL_SERVER}/fixtures/model-streams/errors.json`;

/** What servers say of a request that is too long, as the status and body of an answer. */
async function recordedOverflows(): Promise<{ status: number; body: string }[]> {
  const recorded: { kind: string; message: string }[] = await (await fetch(url)).json();
  return recorded
    .filter(({ kind }) => kind === "context_overflow")
    .map(({ message }) => message.replace(/\bX\b/, "213462").replace(/\bY\b/, "200000"))
    .map((message) => {
      const status = Number(/\b4\d\d\b/.exec(message)?.[0] ?? 400);
      return { status, body: message.includes("no body") ? "" : JSON.stringify({ error: { message } }) };
    });
}

describe.skipIf(!inject("fixtures"))("a request that is refused for its size", () => {
  test("is repeated after the older part of the conversation is summarized, however the server words the error", async () => {
    const refusals = await recordedOverflows();
    expect(refusals.length).toBeGreaterThan(20);
    const ends = refusals.map(async (refusal, n) => {
      const name = `refused-${n}`;
      await talked(name, pages(4, 300));
      await script(name, [refusal, { text: "Four questions." }, { text: "Good." }]);
      const { runId } = await say("And now?", name, session(name));
      const { reply } = await finished(runId);
      const events = (await compactionsIn(runId)).map(({ phase, reason }) => `${phase} ${reason}`);
      return [refusal.body, reply, ...events];
    });
    const expected = refusals.map(({ body }) => [body, "Good.", "start overflow", "end overflow"]);
    expect(await Promise.all(ends)).toEqual(expected);
  }, 120_000);
});

test("text that a provider streamed before it refused for size is void, and the reply appears once", async () => {
  await talked("half", pages(4, 300));
  const delta = { choices: [{ index: 0, delta: { role: "assistant", content: "Half an answer" } }] };
  const failed = { error: { message: "This model's maximum context length is 8192 tokens." } };
  const raw = `data: ${JSON.stringify(delta)}\n\ndata: ${JSON.stringify(failed)}\n\n`;
  await script("half", [{ raw }, { text: "Four questions.", delayMs: 300 }, { text: "The whole answer." }]);
  const chat = chatOf(9701);
  const runId = await hear("half", chat, "And now?");
  const phases = (await eventsOf(runId)).flatMap((event) => (event.type === "assistant" ? [event.phase] : []));
  expect(phases.slice(0, 2)).toEqual(["delta", "restart"]);
  expect(phases.at(-1)).toBe("message");
  expect(await settled(runId, chat)).toEqual(["The whole answer."]);
  const { messages } = await historyOf(session("half").sessionKey);
  expect(JSON.stringify(messages)).not.toContain("Half an answer");
});

test("a tool that ran before the refusal neither runs nor is told of a second time", async () => {
  await talked("once-overflow", pages(4, 300));
  await rewrite("once-overflow", `update session set settings = json_patch(settings, '{"verbose":"on"}')`);
  let runs = 0;
  await armWithDump("once-overflow", () => `Run ${++runs}`);
  await script("once-overflow", [
    { calls: [{ name: "dump", args: {} }] },
    overflow(),
    { text: "Four questions." },
    { text: "Dumped." },
  ]);
  const chat = chatOf(9702);
  const sent = await settled(await hear("once-overflow", chat, "Dump"), chat);
  expect(sent).toHaveLength(2);
  expect(sent[0]).toContain("dump");
  expect(sent[1]).toBe("Dumped.");
  expect(runs).toBe(1);
  const shown = (await requestsOf("once-overflow")).at(-1)!;
  expect(shown.filter((text) => text === "Dump")).toHaveLength(1);
  expect(shown.filter((text) => text === "Run 1")).toHaveLength(1);
});

test("a conversation that stays too long is given up after two summaries, and a person is told what to do", async () => {
  await talked("hopeless", pages(12, 300));
  await script("hopeless", [
    overflow(),
    { text: "The first summary." },
    overflow(),
    { text: "The second." },
    overflow(),
  ]);
  const { runId } = await say("And now?", "hopeless", session("hopeless"));
  const run: any = await finished(runId);
  expect(run).toMatchObject({ status: "error", error: { code: "model_error" } });
  expect(run.error.message).toMatch(/maximum context length[\s\S]*\/new[\s\S]*\/compact/);
  expect((await compactionsIn(runId)).filter(({ phase }) => phase === "start").length).toBeLessThanOrEqual(2);
  expect((await asked("hopeless")).length).toBeLessThanOrEqual(5);

  await script("hopeless", [{ text: "Fresh." }]);
  const { runId: next } = await say("/new Hello", "hopeless", session("hopeless"));
  expect(await finished(next)).toMatchObject({ status: "ok", reply: "Fresh." });
  expect((await requestsOf("hopeless")).at(-1)!.slice(1)).toEqual(["Hello"]);
});

test("summaries that are refused for their size are made in smaller parts, a bounded number of times", async () => {
  await talked("refuses-all", pages(8, 1000));
  await script("refuses-all", [overflow()]);
  const { runId } = await say("And now?", "refuses-all", session("refuses-all"));
  expect(await finished(runId)).toMatchObject({ status: "error", error: { code: "model_error" } });
  const sizes = (await requestsOf("refuses-all")).slice(1, 5).map((request) => request.join().length);
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  expect(sizes[3]).toBeLessThan(sizes[0]! / 3);
  expect((await asked("refuses-all")).length).toBeLessThanOrEqual(11);
});

test("a fallback model with a smaller window gets as much as fits it", async () => {
  await talked("wide-overflow", pages(20, 1000));
  await configure("wide-overflow", (config) => {
    config.agents.defaults.model = { primary: "fake/wide-overflow", fallbacks: ["fake/tiny-40"] };
    return { ...config, models: { ...config.models, retry: { times: 0, backoffMs: 1 } } };
  });
  await script("wide-overflow", [{ status: 503, body: { error: { message: "Overloaded" } } }]);
  await script("tiny-40", [overflow(), ...Array.from({ length: 6 }, (_, n) => ({ text: `Summary ${n}.` }))]);
  const { runId } = await say("And now?", "wide-overflow", session("wide-overflow"));
  const run: any = await finished(runId);
  expect(run).toMatchObject({ status: "ok", model: "fake/tiny-40" });
  const requests = await requestsOf("tiny-40");
  const words = requests.slice(1).map((request) => request.slice(1).join(" ").split(" ").length);
  expect(Math.max(...words)).toBeLessThan(tinyWindow * 0.75);
  expect(requests.at(-1)!.slice(-1)).toEqual(["And now?"]);
});
