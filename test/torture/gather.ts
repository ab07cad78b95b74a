import { setTimeout as sleep } from "node:timers/promises";
import { isHistory } from "../../src/client/wire.ts";
import type { RunView } from "../../src/session-store/run-views.ts";
import type { Beats } from "./check-slots.ts";
import { ask, type Client, Refused } from "./client.ts";
import type { HistoryMessage, ReaderEvidence, SessionEvidence } from "./evidence.ts";
import { announcementsIn, startedIn } from "./family.ts";
import type { PlannedSession } from "./plan.ts";
import { randomOf } from "./random.ts";
import { Reader } from "./reader.ts";
import type { SentMessage } from "./sender.ts";

const POLL_MS = 250;
const CATCH_UP_MS = 8000;

/**
 * Waits until so many runs of each session have an outcome. It asks the index of all runs, which wakes no session: what
 * is not done by then is not done by itself. Gives up after `withinMs`; the checks then say what is missing.
 * @param runs how many there are of each session, by its key
 */
export async function settle(client: Client, runs: ReadonlyMap<string, number>, withinMs: number): Promise<void> {
  const until = AbortSignal.timeout(withinMs);
  try {
    for (const [key, count] of runs) {
      while ((await indexOf(client, key, until)).size < count) await sleep(POLL_MS, undefined, { signal: until });
    }
  } catch (error) {
    if (!until.aborted) throw error;
  }
}

/** Waits until a session knows the end of every sub-agent that it started, or until `withinMs` went by. */
export async function settleFamily(client: Client, key: string, withinMs: number): Promise<void> {
  const until = AbortSignal.timeout(withinMs);
  try {
    for (;;) {
      const history = await historyOf(client, key, until);
      const told = new Set(announcementsIn(history));
      if (startedIn(history).every(({ tag }) => told.has(tag))) return;
      await sleep(POLL_MS, undefined, { signal: until });
    }
  } catch (error) {
    if (!until.aborted) throw error;
  }
}

/**
 * Waits until the index knows every sub-agent that was started, or until `withinMs` went by. The list of sessions wakes
 * none of them.
 */
export async function settleChildren(
  client: Client,
  sessions: readonly PlannedSession[],
  withinMs: number,
): Promise<void> {
  const until = AbortSignal.timeout(withinMs);
  try {
    const histories = await Promise.all(sessions.map(({ key }) => historyOf(client, key, until)));
    const keys = histories.flatMap((history) => startedIn(history).map((child) => child.key));
    for (;;) {
      const listed = await listedSessions(client, until);
      if (keys.every((key) => listed.has(key))) return;
      await sleep(POLL_MS, undefined, { signal: until });
    }
  } catch (error) {
    if (!until.aborted) throw error;
  }
}

/** Asks a session and its readers for everything that they know. */
export async function gather(
  client: Client,
  session: PlannedSession,
  sent: readonly SentMessage[],
  readers: readonly Reader[],
  until: AbortSignal,
): Promise<SessionEvidence> {
  const indexed = await indexOf(client, session.key, until);
  const named = new Set([...indexed.keys(), ...sent.flatMap(({ runIds }) => runIds)]);
  const runs: RunView[] = [];
  const unknownRuns: string[] = [];
  for (const runId of named) {
    const run = await runOf(client, runId, until);
    if (run === undefined) unknownRuns.push(runId);
    else runs.push(run);
  }
  const history = await historyOf(client, session.key, until);
  const auditor = new Reader(client, "sse", session.key, randomOf(session.key, "audit"), {
    least: 60_000,
    most: 60_000,
  });
  const catchUp = AbortSignal.timeout(CATCH_UP_MS);
  const isBehind = (reader: Reader) =>
    reader.story.messages.length < history.length || reader.story.ends.size < runs.length;
  while (!catchUp.aborted && [auditor, ...readers].some(isBehind)) await sleep(POLL_MS / 5);
  await Promise.all([auditor, ...readers].map((reader) => reader.stop()));
  const told: ReaderEvidence[] = readers.map(({ kind, connections, story }) => ({
    name: `a reader by ${kind} with ${connections} connections`,
    story,
  }));
  const isChild = session.key.includes(":subagent:");
  const lost = session.chat === undefined ? [] : await lostOf(client, session.key, until);
  return { session, sent, history, runs, lost, unknownRuns, indexed, isChild, readers: told, audit: auditor.story };
}

/** Asks for everything that is known of the heartbeats of an agent. @param lastMinute that the clock has told */
export async function gatherBeats(
  client: Client,
  agentId: string,
  lastMinute: number,
  until: AbortSignal,
): Promise<Beats> {
  const sessionKey = `agent:${agentId}:cron:heartbeat`;
  const history = await historyOf(client, sessionKey, until);
  const runIds = [...new Set(history.map(({ runId }) => runId))];
  const runs: RunView[] = [];
  for (const runId of runIds) {
    const run = await runOf(client, runId, until);
    if (run !== undefined) runs.push(run);
  }
  const { nextAt } = (await ask(client, `/v1/heartbeats/${agentId}`, {}, until)) as { nextAt: string | number | null };
  return { sessionKey, history, runs, nextAt: new Date(nextAt ?? 0).getTime(), lastMinute };
}

async function historyOf(client: Client, key: string, until: AbortSignal): Promise<HistoryMessage[]> {
  const found: HistoryMessage[] = [];
  let before: number | undefined;
  do {
    const query = before === undefined ? "" : `&before=${before}`;
    const page = await ask(client, `/v1/sessions/${encodeURIComponent(key)}/history?limit=200${query}`, {}, until);
    if (!isHistory(page)) throw new Error(`Not a page of a transcript: ${JSON.stringify(page).slice(0, 300)}`);
    found.unshift(...(page.messages as HistoryMessage[]));
    before = page.before;
  } while (before !== undefined);
  return found;
}

/** The settled runs that the index has of a session, with their status. */
async function indexOf(client: Client, key: string, until: AbortSignal): Promise<Map<string, string>> {
  const page = await ask(client, `/v1/sessions/${encodeURIComponent(key)}/runs?limit=200`, {}, until);
  return new Map((page as { runs: { id: string; status: string }[] }).runs.map((run) => [run.id, run.status]));
}

/** The keys of all sessions that the index lists. */
async function listedSessions(client: Client, until: AbortSignal): Promise<Set<string>> {
  const keys = new Set<string>();
  let before: string | undefined;
  do {
    const query = before === undefined ? "" : `&before=${encodeURIComponent(before)}`;
    const answer = await ask(client, `/v1/sessions?limit=200${query}`, {}, until);
    const page = answer as { sessions: { key: string }[]; before?: string };
    for (const { key } of page.sessions) keys.add(key);
    before = page.before;
  } while (before !== undefined);
  return keys;
}

/** The texts of deliveries that a session lists as not arrived, or perhaps not. */
async function lostOf(client: Client, key: string, until: AbortSignal): Promise<string[]> {
  const page = await ask(client, `/v1/sessions/${encodeURIComponent(key)}/deliveries`, {}, until);
  return (page as { deliveries: { text: string }[] }).deliveries.map(({ text }) => text);
}

async function runOf(client: Client, runId: string, until: AbortSignal): Promise<RunView | undefined> {
  try {
    return (await ask(client, `/v1/runs/${runId}`, {}, until)) as RunView;
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return undefined;
    throw error;
  }
}
