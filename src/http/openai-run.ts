import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Context } from "hono";
import { approvals } from "../db/schema.ts";
import { IsopodError } from "../lib/errors.ts";
import { base32 } from "../lib/ids.ts";
import type { Accepted, AcceptRequest } from "../session/api.ts";
import { callSession } from "../session/call-session.ts";
import { newRunId, objectNameOf } from "../session/locate.ts";
import type { RunInput } from "../session/run.ts";
import { callerKey } from "../session/run-request.ts";
import type { AppEnv } from "./context.ts";
import type { FollowedRun } from "./openai-follow.ts";
import { ownSession, type Place } from "./openai-place.ts";
import type { Question } from "./openai-telling.ts";

const MAX_KEY_CHARS = 200;
/** How many equal requests of one official client, made within a session's life, can be told from repetitions. */
const TWINS = ["", "-2", "-3"];

/** A run that a request has begun, or has found because it was made before. */
export interface BegunRun extends FollowedRun {
  accepted: Accepted;
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

/** How a request is known again when it is repeated. */
type Repeat =
  /** The caller says so. */
  | { kind: "keyed"; key: string }
  /** An official client counts its tries of a request, but gives it no name: its content has to do. */
  | { kind: "first"; print: string }
  | { kind: "again"; print: string }
  | { kind: "unknown" };

/**
 * Stores what is asked, once, however often the request is made, and starts it.
 * @throws IsopodError what the session refuses, or `unavailable`
 */
export async function beginRun(c: Context<AppEnv>, asked: Asked): Promise<BegunRun> {
  const { place } = asked;
  const repeat = await repeatOf(c, asked.body);
  if (place.sessionKey !== undefined) return begin(c, asked, place.sessionKey, idempotencyOf(repeat));
  switch (repeat.kind) {
    case "unknown":
      return begin(c, asked, ownSession(place.agentId, randomName()), {});
    case "keyed":
      return begin(c, asked, ownSession(place.agentId, await digestOf(repeat.key)), idempotencyOf(repeat));
    case "first":
      return beginFirst(c, asked, repeat.print);
    case "again":
      return beginAgain(c, asked, repeat.print);
  }
}

/** Begins the first try of a request in a session where no equal one was made before. */
async function beginFirst(c: Context<AppEnv>, asked: Asked, print: string): Promise<BegunRun> {
  for (const twin of TWINS) {
    const run = await begin(c, asked, ownSession(asked.place.agentId, print + twin), ONLY);
    if (run.isNew) return run;
    await run.events.cancel();
  }
  return begin(c, asked, ownSession(asked.place.agentId, randomName()), ONLY);
}

/** Finds the run that the latest of the equal requests has begun; begins one where none has arrived. */
async function beginAgain(c: Context<AppEnv>, asked: Asked, print: string): Promise<BegunRun> {
  const keys = TWINS.map((twin) => ownSession(asked.place.agentId, print + twin));
  for (const key of keys.toReversed()) {
    const objectName = await objectNameOf(key);
    const known = await callSession(c.env.SESSIONS, objectName, (session) => session.history(1, undefined));
    if (known !== undefined) return begin(c, asked, key, ONLY);
  }
  return begin(c, asked, ownSession(asked.place.agentId, print), ONLY);
}

type Idempotency = Pick<AcceptRequest, "idempotencyKey" | "renews">;

/** For a session that has one run. */
const ONLY: Idempotency = { idempotencyKey: "openai:only" };

async function begin(
  c: Context<AppEnv>,
  { place, input, lingerMs }: Asked,
  sessionKey: string,
  idempotency: Idempotency,
): Promise<BegunRun & { isNew: boolean }> {
  const objectName = await objectNameOf(sessionKey);
  const runId = newRunId(objectName, Date.now());
  const isAlone = place.sessionKey === undefined;
  const request: AcceptRequest = { sessionKey, agentId: place.agentId, runId, input, ...idempotency };
  const { accepted, events } = await callSession(c.env.SESSIONS, objectName, (session) =>
    session.acceptAndFollow({ ...request, ...(isAlone && { lingerMs }) }),
  );
  const blockedBy = () => questionsIn(c.env.DB, accepted.sessionKey);
  return { runId: accepted.runId, events, blockedBy, accepted, isAlone, isNew: accepted.runId === runId };
}

async function questionsIn(database: D1Database, sessionKey: string): Promise<Question[]> {
  return drizzle(database).select().from(approvals).where(eq(approvals.sessionKey, sessionKey)).limit(50);
}

async function repeatOf(c: Context<AppEnv>, body: unknown): Promise<Repeat> {
  const key = c.req.header("Idempotency-Key");
  if (key !== undefined && key.length > MAX_KEY_CHARS) {
    const message = `Idempotency-Key: it is longer than ${MAX_KEY_CHARS} characters`;
    throw new IsopodError("invalid_request", message, undefined, { param: "Idempotency-Key" });
  }
  if (key) return { kind: "keyed", key };
  const tries = c.req.header("X-Stainless-Retry-Count");
  if (tries === undefined) return { kind: "unknown" };
  return { kind: tries === "0" ? "first" : "again", print: await digestOf(JSON.stringify([c.req.path, body])) };
}

function idempotencyOf(repeat: Repeat): Idempotency {
  switch (repeat.kind) {
    case "unknown":
      return {};
    case "keyed":
      return { idempotencyKey: callerKey(repeat.key) };
    case "first":
      return { idempotencyKey: `openai:${repeat.print}`, renews: true };
    case "again":
      return { idempotencyKey: `openai:${repeat.print}` };
  }
}

function randomName(): string {
  return base32(crypto.getRandomValues(new Uint8Array(16)));
}

async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return base32(new Uint8Array(digest, 0, 16));
}
