import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { memorySearch } from "../../../src/config/memory-schema.ts";
import { objectNameOf } from "../../../src/config/session-ids.ts";
import type { Visibility } from "../../../src/memory/agent-memory.ts";
import type { DocumentStore } from "../../../src/memory/document-store.ts";
import { searchMemory } from "../../../src/memory/search/search-memory.ts";
import { syncFiles } from "../../../src/memory/sync/sync-files.ts";
import { type Message, NO_USAGE } from "../../../src/models/message.ts";
import { callByKey } from "../../../src/services/call-session.ts";
import { type TranscriptSession, transcriptDocuments } from "../../../src/services/memory/transcript-documents.ts";
import { call, finished, say, script, waitFor } from "../../flow/client.ts";

const settings = memorySearch.parse({ sources: ["sessions"], provider: "none", experimental: { sessionMemory: true } });

/** A conversation with somebody on a page of the test's own. */
export function talkKey(name: string): string {
  return `agent:main:webchat:direct:${name}`;
}

/** A turn, up to the moment at which the index of all sessions knows of it. Gives the id that its conversation has. */
export async function exchange(
  sessionKey: string,
  question: string,
  answer: string,
  more: object = {},
): Promise<string> {
  const scenario = sessionKey.replaceAll(/[^a-z0-9]/gi, "-");
  await script(scenario, [{ text: answer }]);
  const { runId } = await say(question, scenario, { sessionKey, ...more });
  await finished(runId);
  await waitFor(async () => (await env.DB.prepare("select 1 from runs where id = ?").bind(runId).first()) !== null);
  const row = env.DB.prepare("select session_id as id from sessions where key = ?").bind(sessionKey);
  return (await row.first<string>("id"))!;
}

/** The transcripts of `main`, and the keys of the sessions that were asked for them; where they are `mute` none answers. */
export function transcripts({ mute = false } = {}): DocumentStore & { asked: string[] } {
  const asked: string[] = [];
  const callSession = callByKey<TranscriptSession>(env);
  const store = transcriptDocuments({
    agentId: "main",
    database: env.DB,
    memory: env.MEMORY,
    call: (sessionKey, call) => {
      asked.push(sessionKey);
      return mute ? Promise.reject(new Error("The session does not answer.")) : callSession(sessionKey, call);
    },
    goOn: () => undefined,
    now: Date.now,
  });
  return { ...store, asked };
}

/** Brings the index up to date, as the queue does. */
export async function indexAll(store: DocumentStore = transcripts(), force = false) {
  const deps = {
    database: env.MEMORY,
    agentId: "main",
    settings,
    stores: [store],
    removeVectors: async () => {},
    now: Date.now,
  };
  for (let turns = 0; turns < 100; turns++) {
    const { left, busy, failure } = await syncFiles(deps, { force: force && turns === 0, budgetMs: 10_000 });
    if (failure !== undefined) throw new Error(failure);
    if (left === 0) return;
    if (busy) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("The index is not done.");
}

/** Has the Worker remember transcripts, by its stored configuration. */
export async function rememberTranscripts(more: object = {}): Promise<void> {
  const sources = ["memory", "sessions"];
  const memorySearch = { provider: "none", sources, experimental: { sessionMemory: true }, ...more };
  const change = { agents: { defaults: { memorySearch } } };
  const { status } = await call("PATCH", "/v1/config", change, { "If-Match": "*" });
  if (status !== 200) throw new Error(`The configuration was not stored: ${status}`);
}

/** What a search of the API finds. */
export async function found(query: string, visibility?: Visibility) {
  const deps = { database: env.MEMORY, agentId: "main", settings, now: Date.now, vectorSearch: undefined };
  const freshen = async () => false;
  const { results } = await searchMemory({ ...deps, freshen, visibility }, { query, minScore: 0 });
  return results;
}

/** The text of a document, which has to be there. */
export async function textAt(path: string): Promise<string> {
  return (await transcripts().read(path))!.text;
}

/** When what is put into a transcript was said first. */
export const at = Date.UTC(2026, 0, 31, 9, 5);

/** Questions and answers, one after the other. */
export function chat(count: number, text: (n: number) => string): Message[] {
  return Array.from({ length: count }, (_, n) => {
    const head = { id: `msg_${n}`, at: at + n * 60_000 };
    if (n % 2 === 0) return { ...head, role: "user", text: text(n), sender: { id: "api", owner: true } };
    const parts = [{ type: "text" as const, text: text(n) }];
    return { ...head, role: "assistant", parts, stop: "stop", model: "fake/x", usage: NO_USAGE };
  });
}

/** Puts messages into a session's transcript as they are, from a number on; its object wakes with them. */
export async function putMessages(sessionKey: string, from: number, messages: readonly Message[]): Promise<void> {
  const stub = env.SESSIONS.getByName(await objectNameOf(sessionKey));
  await runInDurableObject(stub, (_, { storage }) => {
    storage.transactionSync(() => {
      for (const [n, message] of messages.entries()) {
        const values = [from + n, `run_${from + n}`, JSON.stringify(message)];
        storage.sql.exec("insert into messages (seq, run_id, body) values (?, ?, ?)", ...values);
      }
      storage.sql.exec("update session set reserved_seq = max(reserved_seq, ?)", from + messages.length + 10_000);
    });
  });
  await evictDurableObject(stub);
}

/** Changes a session's database by SQL. Another incarnation goes on: an object knows its own writes only. */
export async function rewriteIn(sessionKey: string, query: string, ...values: SqlStorageValue[]): Promise<void> {
  await sqlIn(sessionKey, query, ...values);
  await evictDurableObject(env.SESSIONS.getByName(await objectNameOf(sessionKey)));
}

/** Runs SQL in a session's database. */
export async function sqlIn(sessionKey: string, query: string, ...values: SqlStorageValue[]) {
  const stub = env.SESSIONS.getByName(await objectNameOf(sessionKey));
  return runInDurableObject(stub, (_, { storage }) => storage.sql.exec(query, ...values).toArray());
}
