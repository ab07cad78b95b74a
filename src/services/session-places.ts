import { euObjectNameOf, isInEu } from "../config/session-ids.ts";
import { isForOneRequest } from "../config/session-key.ts";
import type { SessionLocation } from "../config/session-schema.ts";

/** Most moved sessions whose place an isolate remembers. */
const MAX_KNOWN = 10_000;

/** Most objects that a session is followed through. It leaves one behind each time that it moves. */
export const MAX_MOVES = 50;

/** The bindings with which a session is called. */
export type SessionEnv = Pick<Env, "SESSIONS" | "ISOPOD_HOST">;

/** A session's object. */
export interface SessionAddress {
  name: string;
  /** The region in which it is created if it does not exist; without effect later. */
  hint?: DurableObjectLocationHint;
}

/**
 * Where sessions have moved to, as far as one isolate knows, by the names of the objects that they have left. It may be
 * out of date: an object that a session has left says where it went.
 */
export class KnownPlaces {
  readonly #moves = new Map<string, string>();

  /** Whether it is known where the session of an object is. */
  has(name: string): boolean {
    return this.#moves.has(name);
  }

  /** The newest known object of a session, by any of its objects. */
  newest(name: string): string {
    let at = name;
    for (let moves = 0; moves < MAX_MOVES; moves++) {
      const next = this.#moves.get(at);
      if (next === undefined || next === at) break;
      at = next;
    }
    return at;
  }

  /** A session has moved from one object to another, or is in the same one. */
  learn(from: string, to: string): void {
    this.#moves.delete(from);
    this.#moves.set(from, to);
    const [oldest] = this.#moves.keys();
    if (this.#moves.size > MAX_KNOWN && oldest !== undefined) this.#moves.delete(oldest);
  }

  /** Forgets everything. */
  clear(): void {
    this.#moves.clear();
  }
}

/** What this isolate knows, for the Worker and for its objects. */
export const knownPlaces = new KnownPlaces();

/** The stub of a session's object. */
export function openObject({ SESSIONS, ISOPOD_HOST }: SessionEnv, { name, hint }: SessionAddress): unknown {
  const options = hint === undefined ? undefined : { locationHint: hint };
  // workerd on one machine has no jurisdictions: all of it is where the machine is.
  const isLocal = ISOPOD_HOST === "workerd";
  const namespace = isInEu(name) && !isLocal ? SESSIONS.jurisdiction("eu") : SESSIONS;
  return namespace.getByName(name, options);
}

/** An object in a location. */
export function addressIn(name: string, location: SessionLocation): SessionAddress {
  return location === "caller" || location === "eu" ? { name } : { name, hint: location };
}

/**
 * Where a session is, or begins. One of `eu` does not begin in its first object, which is wherever it was asked for
 * first: that object keeps the name of the other one and nothing else, so that all isolates agree.
 * @param first the first object of the session
 * @param settle asks the first object where the session is, and makes it the given object if it has not begun
 */
export async function findSession(
  first: SessionAddress,
  sessionKey: string,
  location: SessionLocation,
  settle: (otherwise: string) => Promise<string>,
): Promise<SessionAddress> {
  if (knownPlaces.has(first.name)) return { name: knownPlaces.newest(first.name) };
  if (location !== "eu") return addressIn(first.name, location);
  const inEu = await euObjectNameOf(sessionKey);
  // Nobody else has the key of a session that is made for one request.
  if (isForOneRequest(sessionKey)) return { name: inEu };
  const name = await settle(inEu);
  knownPlaces.learn(first.name, name);
  return { name };
}
