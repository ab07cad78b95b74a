import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Context } from "hono";
import { newRunId, objectNameOf } from "../../config/session-ids.ts";
import { approvals } from "../../db/schema.ts";
import { callSession } from "../../session/api.ts";
import type { RunInput } from "../../session-store/run.ts";
import type { AcceptedRun, AcceptRequest } from "../../session-store/run-request.ts";
import type { AppEnv } from "../context.ts";
import type { FollowedRun } from "./follow.ts";
import { ownSession, type Place } from "./place.ts";
import { amongOthers, type Idempotency, newName, ownNames, repeatOf } from "./repeat.ts";
import type { Question } from "./telling.ts";

/** A run that a request has begun, or has found because it was made before. */
export interface BegunRun extends FollowedRun {
  accepted: AcceptedRun;
  /** Whether its session is for this request alone. */
  isAlone: boolean;
}

/** What a run is begun with. */
export interface Asked {
  place: Place;
  input: RunInput;
  /** How long a session for this request alone stays after its run. */
  lingerMs: number;
  /** The request, by which it is known again. */
  body: unknown;
}

/** For a session that has one run. */
const ONLY: Idempotency = { idempotencyKey: "openai:only" };

/**
 * Stores what is asked, once, however often the request is made, and starts it.
 * @throws IsopodError what the session refuses, or `unavailable`
 */
export async function beginRun(c: Context<AppEnv>, asked: Asked): Promise<BegunRun> {
  const { agentId, sessionKey } = asked.place;
  const repeat = await repeatOf(c, asked.body, Date.now());
  if (sessionKey !== undefined) return begin(c, asked, sessionKey, amongOthers(repeat));
  const names = (await ownNames(repeat)).map((name) => ownSession(agentId, name));
  const [first = ownSession(agentId, newName())] = names;
  if (repeat.kind === "first") return beginApart(c, asked, names);
  const known = repeat.kind === "again" ? await firstThatIsThere(c, names) : undefined;
  return begin(c, asked, known ?? first, repeat.kind === "keyed" ? amongOthers(repeat) : ONLY);
}

/** Begins the first try of a request in a session that no equal one was made in. */
async function beginApart(c: Context<AppEnv>, asked: Asked, keys: readonly string[]): Promise<BegunRun> {
  for (const key of keys) {
    const run = await begin(c, asked, key, ONLY);
    if (run.isNew) return run;
    await run.events.cancel();
  }
  return begin(c, asked, ownSession(asked.place.agentId, newName()), ONLY);
}

async function firstThatIsThere(c: Context<AppEnv>, keys: readonly string[]): Promise<string | undefined> {
  for (const key of keys) {
    const objectName = await objectNameOf(key);
    const history = await callSession(c.env.SESSIONS, objectName, (session) => session.history(1, undefined));
    if (history !== undefined) return key;
  }
  return undefined;
}

async function begin(
  c: Context<AppEnv>,
  { place, input, lingerMs }: Asked,
  sessionKey: string,
  idempotency: Idempotency,
): Promise<BegunRun & { isNew: boolean }> {
  const objectName = await objectNameOf(sessionKey);
  const runId = newRunId(objectName, Date.now());
  const isAlone = place.sessionKey === undefined;
  const { revision: configRevision } = c.get("services");
  const { agentId } = place;
  const request: AcceptRequest = { sessionKey, agentId, runId, configRevision, input, ...idempotency };
  const { accepted, events } = await callSession(c.env.SESSIONS, objectName, (session) =>
    session.acceptAndFollow({ ...request, ...(isAlone && { lingerMs }) }),
  );
  const blockedBy = () => questionsIn(c.env.DB, sessionKey);
  return { runId: accepted.runId, events, blockedBy, accepted, isAlone, isNew: accepted.runId === runId };
}

/** The calls that wait for a person in a session. */
export async function questionsIn(database: D1Database, sessionKey: string): Promise<Question[]> {
  return drizzle(database).select().from(approvals).where(eq(approvals.sessionKey, sessionKey)).limit(50);
}
