import type { Context } from "hono";
import { type AgentEvent, isLast } from "../../agent/events.ts";
import { objectNameOfRun } from "../../config/session-ids.ts";
import { IsopodError, messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import type { SessionEnv } from "../../services/session-places.ts";
import { callSession } from "../../session/api.ts";
import type { RunView } from "../../session-store/run-views.ts";
import type { AppEnv } from "../context.ts";
import { readEvents, sse } from "../server-sent-events.ts";
import {
  type FinalUpdate,
  finalUpdate,
  isEnded,
  isFinal,
  type PendingApproval,
  type RunUpdate,
  RunUpdates,
} from "./run-updates.ts";

/** Broken streams in a row, with no event between them, after which following a run fails. */
const MAX_BREAKS = 6;
const FIRST_PAUSE_MS = 100;

/** A run and its events from the first on. */
export interface FollowedRun {
  runId: string;
  events: ReadableStream<Uint8Array>;
  /** Whether the answer is the last message alone, because the request asked for a format. */
  onlyFinal?: boolean;
  /** The calls that wait for approval in the session's current run; until they are decided, this run stays queued. */
  blockingApprovals(): Promise<PendingApproval[]>;
}

/**
 * Follows a run to its end, or until it waits for an approval: the last update is a `FinalUpdate`. It survives restarts
 * of the session's object, and continues with the run that this one is merged into. Stops early once `signal` aborts.
 * `ping` says that the run is still at work.
 * @param live whether a message's text comes in parts as the model writes it
 * @throws IsopodError `unavailable` where the session stays away, `not_found` where it is deleted meanwhile
 */
export async function* followRun(
  env: SessionEnv,
  run: FollowedRun,
  { live, signal }: { live: boolean; signal: AbortSignal },
): AsyncGenerator<RunUpdate | "ping", void> {
  const updates = new RunUpdates(live, run.onlyFinal);
  let isQueued = false;
  let hasEnded = false;
  for await (const event of eventsOfRun(env, run, signal)) {
    if (event !== "ping") isQueued = event.type === "queue" && event.phase === "waiting";
    const approvals = isQueued ? await run.blockingApprovals() : await requestedApprovals(env, event);
    if (approvals.length > 0) {
      yield { kind: "waits", approvals, usage: updates.usage };
      return;
    }
    for (const update of event === "ping" ? [event] : updates.from(event)) {
      hasEnded ||= update !== "ping" && isFinal(update);
      yield update;
    }
  }
  if (!hasEnded && !signal.aborted) yield finalUpdate(await currentView(env, run.runId));
}

/** How far the events of a run have been read. */
interface ReadPosition {
  runId: string;
  /** Number of the last event. */
  after: number;
  /** How often in a row a stream ended without an event. */
  breaks: number;
}

/** Every event of a run, in order; the retention may have deleted the last ones. */
async function* eventsOfRun(
  env: SessionEnv,
  run: FollowedRun,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent | "ping", void> {
  const position: ReadPosition = { runId: run.runId, after: 0, breaks: 0 };
  let { events } = run;
  for (;;) {
    const end = yield* eventsOfStream(events, position, signal);
    if (end === "over" || signal.aborted) return;
    if (end === "closed" && isEnded(await currentView(env, position.runId))) return;
    if (end !== "joined" && ++position.breaks > MAX_BREAKS) {
      throw new IsopodError("unavailable", "The session does not answer.", "The run goes on; ask for it in a moment.");
    }
    if (end !== "joined") await scheduler.wait(FIRST_PAUSE_MS * 2 ** position.breaks);
    events = await reopenEvents(env, position);
  }
}

/** The events of one stream. Advances `position`, and returns why the stream ended. */
async function* eventsOfStream(
  events: ReadableStream<Uint8Array>,
  position: ReadPosition,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent | "ping", "over" | "joined" | "closed" | "broken"> {
  let end: "over" | "joined" | "closed" = "closed";
  try {
    for await (const event of readEvents(events, signal)) {
      yield event;
      if (event === "ping") continue;
      position.after = event.seq;
      position.breaks = 0;
      if (event.type === "queue" && event.phase === "joined") {
        position.runId = event.intoRunId;
        end = "joined";
      } else if (isLast(event)) end = "over";
    }
    return end;
  } catch (error) {
    if (!signal.aborted) log("warn", "openai.stream_broke", { runId: position.runId, error: messageOf(error) });
    return "broken";
  }
}

function callRun<Result>(env: SessionEnv, runId: string, call: Parameters<typeof callSession<Result>>[2]) {
  return callSession(env, { name: objectNameOfRun(runId) ?? "" }, call);
}

async function reopenEvents(env: SessionEnv, { runId, after }: ReadPosition): Promise<ReadableStream<Uint8Array>> {
  const events = await callRun(env, runId, (session) => session.runEvents(runId, after));
  if (events === undefined) throw sessionDeleted(runId);
  return events;
}

/** A run as it stands. @throws IsopodError `not_found` where its session was deleted */
async function currentView(env: SessionEnv, runId: string): Promise<RunView> {
  const view = await callRun(env, runId, (session) => session.show(runId));
  if (view === undefined) throw sessionDeleted(runId);
  return view;
}

/** The approvals that an event requests, as far as the run still waits for them. */
async function requestedApprovals(env: SessionEnv, event: AgentEvent | "ping"): Promise<PendingApproval[]> {
  if (event === "ping" || event.type !== "approval" || event.phase !== "requested") return [];
  return (await currentView(env, event.runId)).approvals ?? [];
}

function sessionDeleted(runId: string): IsopodError {
  return new IsopodError("not_found", `The session of run '${runId}' was deleted meanwhile`);
}

/** How a protocol writes updates as server-sent events. */
export interface StreamFormat {
  begin(): string;
  update(update: RunUpdate): string;
  /** What is written where following the run itself fails. */
  failure(thrown: unknown): string;
  end(): string;
}

/** A run that is streamed to one reader. */
export interface StreamedRun extends FollowedRun {
  abortOnDisconnect: boolean;
}

/** Answers with a stream of a run's updates, each as soon as it is there. */
export function streamRun(c: Context<AppEnv>, run: StreamedRun, format: StreamFormat): Response {
  const encoder = new TextEncoder();
  const disconnected = new AbortController();
  const texts = formattedUpdates(followRun(c.env, run, { live: true, signal: disconnected.signal }), format);
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel() {
      disconnected.abort();
      if (run.abortOnDisconnect) c.executionCtx.waitUntil(abortRun(c, run.runId));
    },
  });
  return withRequestId(sse(stream), run);
}

async function* formattedUpdates(
  updates: AsyncGenerator<RunUpdate | "ping", void>,
  format: StreamFormat,
): AsyncGenerator<string, void> {
  yield format.begin();
  try {
    for await (const update of updates) {
      const text = update === "ping" ? ": ping\n\n" : format.update(update);
      if (text !== "") yield text;
    }
  } catch (error) {
    yield format.failure(error);
  }
  yield format.end();
}

/** Waits for all updates of a run. */
export async function collectRun(
  c: Context<AppEnv>,
  run: FollowedRun,
): Promise<{ updates: RunUpdate[]; final: FinalUpdate }> {
  const updates: RunUpdate[] = [];
  for await (const update of followRun(c.env, run, { live: false, signal: new AbortController().signal })) {
    if (update === "ping") continue;
    updates.push(update);
    if (isFinal(update)) return { updates, final: update };
  }
  throw new Error("A run had no final update.");
}

/** Adds the run's id as `X-Request-Id`, which official clients show as the id of the request. */
export function withRequestId(response: Response, { runId }: Pick<FollowedRun, "runId">): Response {
  response.headers.set("X-Request-Id", runId);
  return response;
}

/** Stops a run. @throws IsopodError `unavailable` */
export function abortRun(c: Context<AppEnv>, runId: string): Promise<unknown> {
  return callRun(c.env, runId, (session) => session.abort(runId));
}

/** A run as it stands. @throws IsopodError `not_found` */
export async function findRun(c: Context<AppEnv>, runId: string): Promise<RunView> {
  const objectName = objectNameOfRun(runId);
  const find = (name: string) => callSession(c.env, { name }, (session) => session.show(runId));
  const view = objectName === undefined ? undefined : await find(objectName);
  if (view === undefined) throw new IsopodError("not_found", `There is no run '${runId.slice(0, 80)}'`);
  return view;
}
