import { type AgentEvent, isLast } from "../../agent/events.ts";
import { objectNameOfRun } from "../../config/session-ids.ts";
import { IsopodError, messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import type { SessionNamespace } from "../../services/call-session.ts";
import { callSession } from "../../session/api.ts";
import type { RunView } from "../../session-store/run-views.ts";
import { eventsIn } from "../event-reader.ts";
import { endingOf, isEnding, isOver, type Question, Telling, type Told } from "./telling.ts";

/** Breaks in a row, with no event between them, after which a run is not followed any more. */
const MAX_BREAKS = 6;
const FIRST_PAUSE_MS = 100;

/** A run and its events from the first on. */
export interface FollowedRun {
  runId: string;
  events: ReadableStream<Uint8Array>;
  /** The calls that wait for a person in the run that holds its session; as long as they do, this run cannot begin. */
  blockedBy(): Promise<Question[]>;
}

/** What is told of a run, or that it is still at work. */
export type News = Told | "ping";

/**
 * Tells a run to its end, or until it waits for a person: an `Ending` is the last that comes. It goes on over every
 * restart of the session's object, and with the run that this one joins. Stops without an ending once `signal` aborts.
 * @param live whether a message is told as it is being said
 * @throws IsopodError `unavailable` where the session stays away, `not_found` where it is deleted meanwhile
 */
export async function* tellRun(
  sessions: SessionNamespace,
  run: FollowedRun,
  { live, signal }: { live: boolean; signal: AbortSignal },
): AsyncGenerator<News, void> {
  const telling = new Telling(live);
  let isQueued = false;
  let isTold = false;
  for await (const event of eventsOfRun(sessions, run, signal)) {
    if (event !== "ping") isQueued = event.type === "queue" && event.phase === "waiting";
    const wait = isQueued ? await run.blockedBy() : await pausedBy(sessions, event);
    if (wait.length > 0) {
      yield { kind: "waits", approvals: wait, usage: telling.usage };
      return;
    }
    for (const told of event === "ping" ? [event] : telling.of(event)) {
      isTold ||= told !== "ping" && isEnding(told);
      yield told;
    }
  }
  if (!isTold && !signal.aborted) yield endingOf(await shown(sessions, run.runId));
}

/** How far the events of a run have been read. */
interface Place {
  runId: string;
  /** Number of the last event. */
  after: number;
  /** How often in a row nothing came. */
  breaks: number;
}

/** Every event of a run, in order; the last ones may have been cleared away. */
async function* eventsOfRun(
  sessions: SessionNamespace,
  run: FollowedRun,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent | "ping", void> {
  const place: Place = { runId: run.runId, after: 0, breaks: 0 };
  let { events } = run;
  for (;;) {
    const end = yield* readUp(events, place, signal);
    if (end === "over" || signal.aborted) return;
    if (end === "closed" && isOver(await shown(sessions, place.runId))) return;
    if (end !== "joined" && ++place.breaks > MAX_BREAKS) {
      throw new IsopodError("unavailable", "The session does not answer.", "The run goes on; ask for it in a moment.");
    }
    if (end !== "joined") await scheduler.wait(FIRST_PAUSE_MS * 2 ** place.breaks);
    events = await reopened(sessions, place);
  }
}

/** The events of one stream. Gives why it has come to an end, and changes the place to go on from. */
async function* readUp(
  events: ReadableStream<Uint8Array>,
  place: Place,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent | "ping", "over" | "joined" | "closed" | "broken"> {
  let end: "over" | "joined" | "closed" = "closed";
  try {
    for await (const event of eventsIn(events, signal)) {
      yield event;
      if (event === "ping") continue;
      place.after = event.seq;
      place.breaks = 0;
      if (event.type === "queue" && event.phase === "joined") {
        place.runId = event.intoRunId;
        end = "joined";
      } else if (isLast(event)) end = "over";
    }
    return end;
  } catch (error) {
    if (!signal.aborted) log("warn", "openai.stream_broke", { runId: place.runId, error: messageOf(error) });
    return "broken";
  }
}

function callRun<Result>(sessions: SessionNamespace, runId: string, call: Parameters<typeof callSession<Result>>[2]) {
  return callSession(sessions, objectNameOfRun(runId) ?? "", call);
}

async function reopened(sessions: SessionNamespace, { runId, after }: Place): Promise<ReadableStream<Uint8Array>> {
  const events = await callRun(sessions, runId, (session) => session.runEvents(runId, after));
  if (events === undefined) throw gone(runId);
  return events;
}

/** A run as it stands. @throws IsopodError `not_found` where its session was deleted */
async function shown(sessions: SessionNamespace, runId: string): Promise<RunView> {
  const view = await callRun(sessions, runId, (session) => session.show(runId));
  if (view === undefined) throw gone(runId);
  return view;
}

/** The calls for which a run waits since an event, where it still does. */
async function pausedBy(sessions: SessionNamespace, event: AgentEvent | "ping"): Promise<Question[]> {
  if (event === "ping" || event.type !== "approval" || event.phase !== "requested") return [];
  return (await shown(sessions, event.runId)).approvals ?? [];
}

function gone(runId: string): IsopodError {
  return new IsopodError("not_found", `The session of run '${runId}' was deleted meanwhile`);
}
