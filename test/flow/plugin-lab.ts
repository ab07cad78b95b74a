import type { HookTable } from "../../src/plugins/hook.ts";
import { type AnyPlugin, definePlugin } from "../../src/plugins/plugin.ts";
import { call, finished, say, waitFor } from "./client.ts";
import { plug, session } from "./session-lab.ts";

/** Plugs hooks into a session, lets it say something, and waits for the end. */
export async function turn(name: string, hooks: HookTable<unknown>, more: Partial<AnyPlugin> = {}) {
  await plug(name, [definePlugin({ name: "tester", summary: "Tests", hooks, ...more })]);
  const { runId } = await say("hello", name, session(name));
  return finished(runId);
}

/** A line as the API shows it. */
export interface AuditRow {
  id: string;
  sessionKey: string;
  runId: string | null;
  kind: string;
  by: string;
  subject: string;
  bytesBefore: number | null;
  bytesAfter: number | null;
  hash: string | null;
  detail: string | null;
}

/** What the audit trail says of a session, oldest first, once it says so much. */
export async function auditOf(name: string, atLeast = 1): Promise<AuditRow[]> {
  const { sessionKey } = session(name);
  const read = async () => {
    const { entries } = await (await call("GET", "/v1/audit?limit=200")).json<{ entries: AuditRow[] }>();
    return entries.filter((entry) => entry.sessionKey === sessionKey && entry.kind !== "run").reverse();
  };
  await waitFor(async () => (await read()).length >= atLeast);
  return read();
}

/** SHA-256 in hex. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
