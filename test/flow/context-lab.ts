import { runInDurableObject } from "cloudflare:test";
import type { AgentEvent, CompactionEvent } from "../../src/agent/events.ts";
import { asked, eventsOf, finished, say, script } from "./client.ts";
import { evict, NONE, session, sql, stubOf } from "./session-lab.ts";

/** A session with a turn behind it, and as many more as there are texts: a question, and an answer of that text. */
export async function talked(name: string, answers: readonly string[]): Promise<void> {
  await script(name, [{ text: "Hello." }]);
  await finished((await say("Hello", name, session(name))).runId);
  await runInDurableObject(await stubOf(name), (_, { storage }) => {
    const { seq } = storage.sql.exec<{ seq: number }>("select max(reserved_seq) as seq from session").one();
    const insert = (at: number, message: object) => {
      const body = JSON.stringify({ id: `msg_put_${at}`, at: 1_700_000_000_000 + at, ...message });
      storage.sql.exec("insert into messages (seq, run_id, body) values (?, 'run_put', ?)", seq + at, body);
    };
    for (const [n, text] of answers.entries()) {
      insert(2 * n, { role: "user", text: `Question ${n}` });
      const parts = [{ type: "text", text }];
      insert(2 * n + 1, { role: "assistant", parts, stop: "stop", model: "fake/put", usage: NONE });
    }
    storage.sql.exec("update session set reserved_seq = ?", seq + 2 * answers.length);
  });
  // The next incarnation numbers its messages after those.
  await evict(name);
}

/** English of so many tokens, about. */
export function words(tokens: number): string {
  return "word ".repeat(tokens).trim();
}

/** Texts of so many tokens each, about. */
export function pages(count: number, tokens: number): string[] {
  return Array.from({ length: count }, (_, n) => `Page ${n}: ${words(tokens)}.`);
}

/** What the model was sent in each request, as texts in order: the system prompt first. */
export async function requestsOf(scenario: string): Promise<string[][]> {
  const requests = await asked(scenario);
  return requests.map(({ body }) => body.messages.map(({ content }: { content: unknown }) => textIn(content)));
}

function textIn(content: unknown): string {
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
