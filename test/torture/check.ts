import { type AssistantMessage, type ToolMessage, toolCalls } from "../../src/models/message.ts";
import { MAX_CRASHES } from "../../src/session-store/run.ts";
import type { RunView } from "../../src/session-store/run-views.ts";
import { type Evidence, retriesOf, type SessionEvidence } from "./evidence.ts";
import { announcementsIn, startedIn } from "./family.ts";
import type { Kill } from "./killer.ts";
import type { SentMessage } from "./sender.ts";

/**
 * The promises that can be broken; `disordered` is a transcript, `failed` a run that had no reason to end badly, `undone`
 * one that ended well without what was asked, `missedSlot` and `doubledSlot` a due time that ran not or twice, `untold` a delivery that may be lost and that nobody was told of.
 */
export type BreachKind =
  | "lost"
  | "doubled"
  | "unsure"
  | "gaps"
  | "repeats"
  | "stuck"
  | "parked"
  | "disordered"
  | "doubledInRequest"
  | "undone"
  | "untold"
  | "missedSlot"
  | "doubledSlot"
  | "failed";

/** One broken promise. */
export interface Breach {
  kind: BreachKind;
  session: string;
  runId?: string;
  what: string;
}

const SETTLED = new Set(["ok", "error", "aborted", "timeout", "joined", "dropped"]);
const UNKNOWN_EFFECT = "interrupted: it may or may not have taken effect";

/** Finds every broken promise in the evidence. */
export function breachesIn(evidence: Evidence): Breach[] {
  return [
    ...evidence.sessions.flatMap((session) => [
      ...messagesOf(session),
      ...outcomesOf(session, evidence.kills),
      ...transcriptOf(session),
      ...effectsOf(session, evidence),
      ...readersOf(session),
      ...familyOf(session),
    ]),
    ...orphansIn(evidence),
  ];
}

/** Every message that was accepted is in the transcript once, as one run, however often it was sent. */
export function messagesOf(evidence: SessionEvidence): Breach[] {
  const { session, sent, history, runs, indexed } = evidence;
  const breaches: Breach[] = [];
  const report = (kind: BreachKind, { message, runIds }: SentMessage, what: string) =>
    breaches.push({
      kind,
      session: session.key,
      ...(runIds[0] && { runId: runIds[0] }),
      what: `${message.text}: ${what}`,
    });
  let retries = 0;
  for (const record of sent) {
    const said = history.filter((entry) => entry.role === "user" && entry.text.includes(record.message.text)).length;
    const isDropped = runs.some(
      (run) => record.runIds.includes(run.runId) && (run.status === "dropped" || isStoppedBeforeItBegan(run, evidence)),
    );
    const mayBeDropped = session.chat !== undefined && runs.some((run) => run.status === "dropped");
    for (const refusal of record.refused) report("lost", record, refusal);
    if (new Set(record.runIds).size > 1) report("doubled", record, `it is the runs ${record.runIds.join(", ")}`);
    const isJob = record.message.door === "job";
    const again = retriesOf(record, { history, runs });
    retries += again;
    if (said > 1 + again) report(isJob ? "doubledSlot" : "doubled", record, `it is in the transcript ${said} times`);
    if (said === 0 && !isDropped && !mayBeDropped)
      report(isJob ? "missedSlot" : "lost", record, "it is not in the transcript");
  }
  const known = new Set([...indexed.keys(), ...runs.map((run) => run.runId)]).size;
  const asked = sent.length + announcementsIn(history).length + retries;
  if (known !== asked) {
    const kind = known > asked ? "doubled" : "lost";
    breaches.push({ kind, session: session.key, what: `${asked} messages were accepted and made ${known} runs` });
  }
  return breaches;
}

/** Whether a sub-agent's run was stopped together with its parent's while still queued: its task never reaches a transcript. */
function isStoppedBeforeItBegan(run: RunView, { parentStatus }: SessionEvidence): boolean {
  return parentStatus === "aborted" && run.status === "aborted" && run.startedAt === undefined;
}

/** The end of every sub-agent is told once to who started it; where its work was stopped from there, not at all. */
function familyOf({ session, history }: SessionEvidence): Breach[] {
  const told = announcementsIn(history);
  const twice = told.filter((tag, n) => told.indexOf(tag) !== n);
  const untold = startedIn(history).filter(({ tag }) => session.mode !== "interrupt" && !told.includes(tag));
  const keys = startedIn(history).map(({ key }) => key);
  const shared = keys.filter((key, n) => keys.indexOf(key) !== n);
  return [
    ...twice.map((tag) => ["doubled", `the end of ${tag} is told twice`] as const),
    ...shared.map((key) => ["doubled", `${key} was started by two calls`] as const),
    ...untold.map(({ tag, key }) => ["lost", `nobody told how ${tag} ended, which is ${key}`] as const),
  ].map(([kind, what]) => ({ kind, session: session.key, what }));
}

/** Every run has exactly one outcome, of which readers were told exactly once, and a good one unless there is a reason. */
function outcomesOf(
  { session, history, runs, unknownRuns, indexed, audit }: SessionEvidence,
  kills: readonly Kill[],
): Breach[] {
  const breaches: Breach[] = unknownRuns.map((runId) => ({
    ...({
      kind: "lost",
      session: session.key,
      runId,
      what: "it was accepted and the session does not know it",
    } as const),
  }));
  for (const run of runs) {
    const report = (kind: BreachKind, what: string) =>
      breaches.push({ kind, session: session.key, runId: run.runId, what });
    const ends = audit.ends.get(run.runId) ?? 0;
    const said = indexed.get(run.runId);
    if (!SETTLED.has(run.status)) {
      report("stuck", `it is still ${run.status}`);
      continue;
    }
    if (ends !== 1) report(ends === 0 ? "lost" : "doubled", `readers are told of its end ${ends} times`);
    if (said !== run.status) report("stuck", `the index of runs says ${said}, the session ${run.status}`);
    if (session.mode !== "interrupt" && (run.status === "aborted" || run.status === "dropped"))
      report("failed", run.status);
    if (run.status === "timeout") report("failed", run.status);
    if (run.status !== "error") continue;
    if (run.error?.code !== "crash_loop") report("failed", `${run.error?.code}: ${run.error?.message}`);
    else if (killsWithoutProgress(run, history, kills) < MAX_CRASHES) report("parked", "it was parked too early");
  }
  return breaches;
}

/** The kills since a parked run last finished a step. */
function killsWithoutProgress(run: RunView, history: SessionEvidence["history"], kills: readonly Kill[]): number {
  const endedAt = run.endedAt ?? 0;
  // Parking itself stores results for what was left open.
  const steps = history.filter((entry) => entry.runId === run.runId && entry.at < endedAt - 5);
  const since = Math.max(run.startedAt ?? 0, ...steps.map((entry) => entry.at));
  return kills.filter(({ killedAt }) => killedAt >= since && killedAt <= endedAt).length;
}

/** A transcript grows, its runs do not mix, and every call in it has exactly one result, before anything is said again. */
function transcriptOf({ session, history }: SessionEvidence): Breach[] {
  const breaches: Breach[] = [];
  const open = new Map<string, string>();
  const over = new Set<string>();
  let current = "";
  let last = 0;
  for (const entry of history) {
    const report = (what: string) =>
      breaches.push({ kind: "disordered", session: session.key, runId: entry.runId, what: `${entry.id}: ${what}` });
    if (entry.seq <= last) report(`its number ${entry.seq} comes after ${last}`);
    last = entry.seq;
    if (entry.runId !== current) {
      if (over.has(entry.runId)) report("its run had given way to another one");
      over.add(current);
      current = entry.runId;
    }
    if (entry.role === "tool") {
      if (!open.delete(entry.callId)) report(`${entry.callId} has no open call`);
      continue;
    }
    for (const callId of open.keys()) report(`it comes before the result of ${callId}`);
    open.clear();
    if (entry.role === "assistant") for (const call of toolCalls(entry)) open.set(call.callId, entry.runId);
  }
  for (const [callId, runId] of open) {
    breaches.push({ kind: "disordered", session: session.key, runId, what: `${callId} has no result` });
  }
  return breaches;
}

/** An unsafe call took effect at most once in each run that made it, and what a result says is what happened. */
function effectsOf({ session, history }: SessionEvidence, { counts, kills }: Evidence): Breach[] {
  const breaches: Breach[] = [];
  const results = history.filter(
    (entry): entry is ToolMessage & typeof entry => entry.role === "tool" && entry.tool.startsWith("count_"),
  );
  for (const { callId, tool, text, isError, runId, at } of results) {
    const report = (kind: BreachKind, what: string) =>
      breaches.push({ kind, session: session.key, runId, what: `${tool} ${callId} ('${text}') ${what}` });
    const count = counts.get(callId) ?? 0;
    const madeIn = history.filter((entry) => entry.role === "assistant" && makes(entry, callId));
    if (tool !== "count_safe" && count > new Set(madeIn.map((entry) => entry.runId)).size)
      report("doubled", `took effect ${count} times`);
    if (!isError && count === 0) report("lost", "never took effect");
    if (text.startsWith("skipped") && count > 0) report("doubled", "took effect all the same");
    if (isError && !text.startsWith("skipped") && text !== UNKNOWN_EFFECT) report("failed", "had no reason to fail");
    if (text !== UNKNOWN_EFFECT || session.mode === "interrupt") continue;
    const askedAt = history.find(
      (entry) => entry.role === "assistant" && toolCalls(entry).some((call) => call.callId === callId),
    )?.at;
    if (!kills.some(({ killedAt }) => killedAt >= (askedAt ?? 0) && killedAt <= at))
      report("failed", "was not interrupted");
  }
  return breaches;
}

function makes(message: AssistantMessage, callId: string): boolean {
  return toolCalls(message).some((call) => call.callId === callId);
}

/** What readers put together is the transcript, and nothing was told twice. */
function readersOf({ session, history, readers, audit }: SessionEvidence): Breach[] {
  const stories = [...readers, { name: "the one who read it all at the end", story: audit }];
  const told = history.map(({ seq: _, runId: __, ...message }) => JSON.stringify(message));
  return stories.flatMap(({ name, story }) => {
    const report = (kind: BreachKind) => (what: string) => ({ kind, session: session.key, what: `${name}: ${what}` });
    const heard = story.messages.map((message) => JSON.stringify(message));
    const at = told.findIndex((message, n) => message !== heard[n]);
    const gaps =
      at === -1 && heard.length === told.length
        ? []
        : [`message ${at} of ${told.length} (${heard.length}) is ${heard[at]} and not ${told[at]}`];
    return [...[...gaps, ...story.faults].map(report("gaps")), ...story.repeats.map(report("repeats"))];
  });
}

/** Nothing took effect that no transcript knows of. */
function orphansIn({ sessions, counts }: Evidence): Breach[] {
  const known = new Set(
    sessions.flatMap(({ history }) => history.map((entry) => (entry.role === "tool" ? entry.callId : ""))),
  );
  return [...counts.keys()]
    .filter((callId) => !known.has(callId))
    .map((callId) => ({ kind: "disordered", session: "", what: `${callId} took effect and no transcript has it` }));
}
