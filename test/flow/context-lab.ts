import { runInDurableObject } from "cloudflare:test";
import type { AgentEvent, CompactionEvent } from "../../src/agent/events.ts";
import type { ScriptedReply } from "../fakes/model-script.ts";
import { asked, eventsOf, finished, say, script } from "./client.ts";
import { configure, evict, NONE, session, sql, stubOf } from "./session-lab.ts";

/** A session with a turn behind it, and as many more as there are texts: a question, and an answer of that text. */
export async function talked(name: string, answers: readonly string[]): Promise<void> {
  await lived(
    name,
    answers.flatMap((text, n) => [asks(`Question ${n}`), says(text)]),
  );
}

/** A session with a turn behind it, and then these messages. */
export async function lived(name: string, messages: readonly object[]): Promise<void> {
  await script(name, [{ text: "Hello." }]);
  await finished((await say("Hello", name, session(name))).runId);
  await runInDurableObject(await stubOf(name), (_, { storage }) => {
    const { seq } = storage.sql.exec<{ seq: number }>("select max(reserved_seq) as seq from session").one();
    for (const [n, message] of messages.entries()) {
      const body = JSON.stringify({ id: `msg_put_${n}`, at: 1_700_000_000_000 + n, ...message });
      storage.sql.exec("insert into messages (seq, run_id, body) values (?, 'run_put', ?)", seq + n, body);
    }
    storage.sql.exec("update session set reserved_seq = ?", seq + messages.length);
  });
  // The next incarnation numbers its messages after those.
  await evict(name);
}

export function asks(text: string): object {
  return { role: "user", text };
}

export function says(text: string, more: object = {}): object {
  const parts = [{ type: "text", text }];
  return { role: "assistant", parts, stop: "stop", model: "fake/put", usage: NONE, ...more };
}

/** A reply that calls the tool `dump`, and its result. */
export function dumps(callId: string, text: string): object[] {
  const parts = [{ type: "tool-call", callId, tool: "dump", args: {} }];
  return [says("", { parts, stop: "tool-calls" }), { role: "tool", callId, tool: "dump", text, isError: false }];
}

/** Changes how a session's conversation is kept short; without a memory flush where nothing else is said. */
export async function keepShort(name: string, compaction: object = {}, more: object = {}): Promise<void> {
  await configure(name, (config) => {
    Object.assign(config.agents.defaults, { compaction: { memoryFlush: { enabled: false }, ...compaction }, ...more });
    return config;
  });
}

/** English of so many tokens, about. */
export function words(tokens: number): string {
  return "word ".repeat(tokens).trim();
}

/** Texts of so many tokens each, about. */
export function pages(count: number, tokens: number): string[] {
  return Array.from({ length: count }, (_, n) => `Page ${n}: ${words(tokens)}.`);
}

/** The answer of a server to which a request is too long. */
export function overflow(): ScriptedReply {
  return { status: 400, body: { error: { message: "This model's maximum context length is 8192 tokens." } } };
}

/** What the model was sent in each request, as texts in order: the system prompt first. */
export async function requestsOf(scenario: string): Promise<string[][]> {
  const requests = await asked(scenario);
  return requests.map(({ body }) => body.messages.map(({ content }: { content: unknown }) => textIn(content)));
}

/** The content of a message as a model was sent it, as one text. */
export function textIn(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

/** What was announced of compactions in a run. */
export async function compactionsIn(runId: string): Promise<CompactionEvent[]> {
  return (await eventsOf(runId)).filter((event): event is AgentEvent & CompactionEvent => event.type === "compaction");
}

/** The stored summaries of a session, oldest first. */
export async function summariesOf(name: string): Promise<{ summary: string; keptSeq: number }[]> {
  const rows = await sql<{ body: string; kept_seq: number }>(
    name,
    "select body, kept_seq from compactions order by seq",
  );
  return rows.map(({ body, kept_seq }) => ({ summary: JSON.parse(body).summary, keptSeq: kept_seq }));
}
