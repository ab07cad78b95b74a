import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";
import { objectNameOf } from "../../src/config/session-ids.ts";
import type { ScriptedReply } from "../fakes/model-script.ts";
import { historyOf, waitFor } from "./client.ts";

/** A reply that starts a sub-agent whose model is another scenario. */
export function spawning(scenario: string, more: object = {}): ScriptedReply {
  return {
    calls: [{ name: "sessions_spawn", args: { task: "Count.", label: scenario, model: `fake/${scenario}`, ...more } }],
  };
}

/** A reply that calls one tool. */
export function calling(name: string, args: object): ScriptedReply {
  return { calls: [{ name, args }] };
}

export async function stubByKey(sessionKey: string) {
  return env.SESSIONS.getByName(await objectNameOf(sessionKey));
}

/** The sub-agents that a session has stored, the first one first. */
export async function childrenOf(sessionKey: string) {
  const rows = await runInDurableObject(await stubByKey(sessionKey), (_, { storage }) =>
    storage.sql.exec<{ key: string; open: number; body: string }>("select key, open, body from subagents").toArray(),
  );
  return rows.map(({ key, open, body }) => ({ key, open: open === 1, ...JSON.parse(body) }));
}

/** What a session has yet to tell who started it. */
export function noticesOf(sessionKey: string) {
  return stubByKey(sessionKey).then((stub) =>
    runInDurableObject(stub, (_, { storage }) => storage.sql.exec("select * from announcements").toArray()),
  );
}

/** Kills a session's object in the middle of what it does. */
export async function kill(sessionKey: string) {
  const killed = runInDurableObject(await stubByKey(sessionKey), (_, state) => state.abort("killed by a test"));
  await expect(killed).rejects.toThrow("killed by a test");
}

/** Lets a session's object leave memory. */
export async function evictKey(sessionKey: string) {
  await evictDurableObject(await stubByKey(sessionKey));
}

export async function ring(sessionKey: string) {
  await runDurableObjectAlarm(await stubByKey(sessionKey));
}

/** Everything that was said in a session, by a person or an agent. */
export async function textsIn(sessionKey: string): Promise<string[]> {
  const { messages } = await historyOf(sessionKey);
  return (messages as any[]).map(({ text, parts }) => text ?? parts.map((part: any) => part.text ?? "").join(""));
}

/** Waits until something was said in a session. */
export async function untilSaid(sessionKey: string, text: string): Promise<void> {
  await waitFor(async () => (await textsIn(sessionKey)).some((said) => said.includes(text)));
}

/**
 * Puts something in place of a verb of all sessions' objects, until `restore`.
 * @param replace is given the session key that a request names, the verb as it is, and the request
 */
export async function replaceVerb(
  verb: string,
  replace: (sessionKey: string, go: () => unknown, request: unknown) => unknown,
) {
  return runInDurableObject(await stubByKey("agent:main:hook:any"), (instance) => {
    const home = prototypeWith(instance, verb);
    const real = home[verb] as (...args: unknown[]) => unknown;
    home[verb] = function (this: unknown, ...args: unknown[]) {
      const request = args[0] as { sessionKey?: string; childKey?: string } | undefined;
      return replace(request?.sessionKey ?? request?.childKey ?? "", () => real.apply(this, args), request);
    };
    const restore = () => {
      home[verb] = real;
    };
    return { restore };
  });
}

function prototypeWith(instance: object, verb: string): Record<string, unknown> {
  for (let home = Object.getPrototypeOf(instance); home !== null; home = Object.getPrototypeOf(home)) {
    if (Object.hasOwn(home, verb)) return home;
  }
  throw new Error(`There is no verb ${verb}.`);
}
