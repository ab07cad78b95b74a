import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";
import { z } from "zod";
import { type AnyTool, defineTool } from "../../src/agent/tool.ts";
import type { Delivery } from "../../src/channels/channel.ts";
import { objectNameOf } from "../../src/config/session-ids.ts";

async function stubOf(sessionKey: string) {
  return env.SESSIONS.getByName(await objectNameOf(sessionKey));
}

/** The deliveries of a session, in order. */
export async function outboxOf(
  sessionKey: string,
): Promise<{ status: string; attempts: number; delivery: Delivery | null }[]> {
  const query = "select status, attempts, detail from outbox order by id";
  const rows = await runInDurableObject(await stubOf(sessionKey), (_, { storage }) =>
    storage.sql.exec<{ status: string; attempts: number; detail: string | null }>(query).toArray(),
  );
  return rows.map(({ status, attempts, detail }) => ({ status, attempts, delivery: JSON.parse(detail ?? "null") }));
}

/** The destinations of a session's deliveries, as they are stored. */
export async function targetsOf(sessionKey: string): Promise<string[]> {
  const rows = await runInDurableObject(await stubOf(sessionKey), (_, { storage }) =>
    storage.sql.exec<{ target: string }>("select target from outbox order by id").toArray(),
  );
  return rows.map(({ target }) => target);
}

/** The platform's id of a session's newest delivery. */
export async function newestExternalId(sessionKey: string): Promise<string> {
  const delivery = (await outboxOf(sessionKey)).at(-1)?.delivery;
  return (delivery?.outcome === "delivered" && delivery.externalId) || "";
}

/** Lets a session's object leave memory; the next call or its alarm wakes another. */
export async function evictSession(sessionKey: string): Promise<void> {
  await evictDurableObject(await stubOf(sessionKey));
}

/** Kills a session's object in the middle of what it does, and lets its alarm ring. */
export async function killSession(sessionKey: string): Promise<void> {
  const killed = runInDurableObject(await stubOf(sessionKey), (_, state) => state.abort("killed by a test"));
  await expect(killed).rejects.toThrow("killed by a test");
  await runDurableObjectAlarm(await stubOf(sessionKey));
}

/** A tool `launch` that nobody may use without being asked; it notes what it has launched. */
export function launchTool(launched: string[]): AnyTool {
  return defineTool({
    name: "launch",
    summary: "Launch",
    description: "Launches.",
    parameters: z.strictObject({ what: z.string() }),
    replay: "unsafe",
    sequential: true,
    approval: ({ what }) => `Launch ${what}?`,
    async run({ what }) {
      launched.push(what);
      return { text: `launched ${what}` };
    },
  });
}
