import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { z } from "zod";
import { type AnyTool, defineTool } from "../../src/agent/tool.ts";
import { objectNameOf } from "../../src/config/session-ids.ts";
import type { AnyPlugin } from "../../src/plugins/plugin.ts";

/** A session of its own for a test. */
export function session(name: string): { sessionKey: string } {
  return { sessionKey: `agent:main:hook:${name}` };
}

export async function stubOf(name: string) {
  return env.SESSIONS.getByName(await objectNameOf(session(name).sessionKey));
}

/** The R2 prefix of what a session keeps outside of its object. */
export async function folderOf(name: string): Promise<string> {
  return `sessions/main/${await objectNameOf(session(name).sessionKey)}/`;
}

export async function filesOf(name: string): Promise<string[]> {
  return (await env.FILES.list({ prefix: await folderOf(name) })).objects.map(({ key }) => key);
}

/** What tests have given to objects, by name, until they leave memory. */
const given = new Map<string, object>();

async function give(sessionKey: string, members: object): Promise<void> {
  const name = await objectNameOf(sessionKey);
  given.set(name, { ...given.get(name), ...members });
  await runInDurableObject(env.SESSIONS.getByName(name), (instance) => Object.assign(instance, members));
}

/** Runs SQL in a session's database. An object knows its own writes only: use `rewrite` for a change that it shall see. */
export async function sql<Row extends Record<string, SqlStorageValue>>(
  name: string,
  query: string,
  ...values: SqlStorageValue[]
): Promise<Row[]> {
  return runInDurableObject(await stubOf(name), (_, { storage }) => storage.sql.exec<Row>(query, ...values).toArray());
}

/** Changes a session's database by SQL. Another incarnation goes on, with what the test has given to this one. */
export async function rewrite(name: string, query: string, ...values: SqlStorageValue[]): Promise<void> {
  await sql(name, query, ...values);
  const { sessionKey } = session(name);
  const members = given.get(await objectNameOf(sessionKey));
  await evictDurableObject(await stubOf(name));
  if (members !== undefined) await give(sessionKey, members);
}

/** Lets a session's object leave memory; the next call wakes another. */
export async function evict(name: string): Promise<void> {
  given.delete(await objectNameOf(session(name).sessionKey));
  await evictDurableObject(await stubOf(name));
}

/**
 * Lets a session know another configuration than the Worker's, until it leaves memory: `change` gives the new one of
 * the old. `secrets` are variables that it has besides.
 */
export async function configure(name: string, change: (config: any) => object, secrets: object = {}): Promise<void> {
  const config = change(JSON.parse(env.ISOPOD_CONFIG ?? "{}"));
  await give(session(name).sessionKey, { env: { ...env, ...secrets, ISOPOD_CONFIG: JSON.stringify(config) } });
}

/** Kills a session's object in the middle of what it does, and lets its alarm ring. */
export async function kill(name: string, plugins: AnyPlugin[] = []): Promise<void> {
  const killed = runInDurableObject(await stubOf(name), (_, state) => state.abort("killed by a test"));
  await killed.then(
    () => Promise.reject(new Error("The object lives on.")),
    () => undefined,
  );
  // What a test has given an object is gone with it.
  given.delete(await objectNameOf(session(name).sessionKey));
  if (plugins.length > 0) await plug(name, plugins);
  await runDurableObjectAlarm(await stubOf(name));
}

/** A tool `dump` that answers with a text. */
export function dumpTool(text: () => string): AnyTool {
  return defineTool({
    name: "dump",
    summary: "Dump",
    description: "Dumps.",
    parameters: z.looseObject({}),
    replay: "safe",
    sequential: false,
    run: async () => ({ text: text() }),
  });
}

/** Gives a session the tool `dump`. */
export async function armWithDump(name: string, text: () => string): Promise<void> {
  await arm(name, [dumpTool(text)]);
}

/** Gives a session tools of its own, until it leaves memory. */
export async function arm(name: string, extraTools: AnyTool[]): Promise<void> {
  await give(session(name).sessionKey, { extraTools });
}

/** Gives the object of any session other members, until it leaves memory. */
export async function equip(sessionKey: string, members: object): Promise<void> {
  await give(sessionKey, members);
}

/** Gives a session plugins of its own, until it leaves memory; to be called before it is first used. */
export async function plug(name: string, extraPlugins: AnyPlugin[], { sessionKey } = session(name)): Promise<void> {
  await give(sessionKey, { extraPlugins });
}

/** Puts messages into a transcript as if there had been so many turns. */
export async function fillTranscript(name: string, count: number, from: number): Promise<void> {
  await runInDurableObject(await stubOf(name), (_, { storage }) => {
    storage.transactionSync(() => {
      for (let n = 0; n < count; n++) {
        const head = { id: `msg_${n}`, at: 1_700_000_000_000 + n };
        const message =
          n % 2 === 0
            ? { ...head, role: "user", text: `Question ${n}` }
            : {
                ...head,
                role: "assistant",
                parts: [{ type: "text", text: `Answer ${n}` }],
                stop: "stop",
                model: "fake/x",
                usage: NONE,
              };
        const body = JSON.stringify(message);
        storage.sql.exec("insert into messages (seq, run_id, body) values (?, ?, ?)", from + n, `run_${n >> 1}`, body);
      }
      storage.sql.exec("update session set reserved_seq = ?", from + count + 10_000);
    });
  });
}

export const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
