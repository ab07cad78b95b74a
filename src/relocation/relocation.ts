import type { SessionLocation } from "../config/session-schema.ts";
import { comesWithin } from "../lib/deadline.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { Refusal } from "../lib/refusal.ts";
import { callObject } from "../services/call-session.ts";
import { addressIn, knownPlaces, type SessionEnv } from "../services/session-places.ts";
import type { Fence } from "../session-store/fence.ts";
import { runningProcesses } from "../session-store/processes.ts";
import { isSettled } from "../session-store/run.ts";
import { openRuns } from "../session-store/runs.ts";
import { indexLocation } from "../session-store/session-index.ts";
import {
  type LeavingPlace,
  readPlace,
  type SessionPart,
  type StoredPlace,
  savePlace,
} from "../session-store/session-place.ts";
import { readSessionRow, saveLocation } from "../session-store/session-row.ts";
import { type Store, updateTables } from "../session-store/store.ts";
import { saveMove } from "./moved-sessions.ts";
import { dropTables, insertRows, sessionParts } from "./session-rows.ts";

/** How long a move waits for background work to stop. */
const STOP_MS = 5000;
/** How often the parts are sent from the beginning, where the other object has lost some. */
const MAX_ATTEMPTS = 3;
/** When an object in which a session has not arrived asks where it is, in milliseconds after the last part. */
export const ASK_AFTER_MS = 600_000;

/** What the objects of a session tell each other. */
export interface RelocationCalls {
  /** Stores the next part of an arriving session; returns how many parts of this attempt are there. */
  receive(part: SessionPart): Promise<number | Refusal>;
  /** The session is in use where this is called. */
  confirmMove(): Promise<boolean | Refusal>;
  /** The name of the object in which the session is; the other one's from now on, if it has not begun. */
  settle(ownName: string, otherwise: string): Promise<string | Refusal>;
}

/** Dependencies of `Relocation`. */
export interface RelocationDeps {
  ctx: DurableObjectState;
  env: SessionEnv & Pick<Env, "DB">;
  store: Store;
  fence: Fence;
  /** Resolves when no work is under way that could write. */
  idle(): Promise<unknown>;
  /** Sets the alarm, in milliseconds since the epoch. */
  arm(at: number): void;
  /** Reads anew from storage what the object keeps in memory, after the session has come, gone or stayed. */
  reload(): void;
  now(): number;
}

/**
 * Moves a session between objects. The object that it leaves copies all tables, and drops them in the commit that stores
 * where the session is. Until that commit it has the session, and the other object, although complete, does nothing;
 * after it, it has nothing and says where to go. A crash in between is followed by another attempt.
 */
export class Relocation {
  readonly #deps: RelocationDeps;
  #leaving: Promise<void> | undefined;

  constructor(deps: RelocationDeps) {
    this.#deps = deps;
  }

  /** Where the session is; undefined if it is here, or has not begun. */
  get place(): StoredPlace | undefined {
    return readPlace(this.#deps.ctx.storage);
  }

  /**
   * Lets a call in. A session that has arrived is in use from its first call: nobody knows this object before the other
   * one has let go of it.
   * @throws IsopodError that says where the session is, or that it is on its way
   */
  requireHere(): void {
    const { place } = this;
    if (place === undefined) return;
    if (place.kind === "arriving" && place.isComplete) {
      this.#finishArrival(place.location);
      return;
    }
    const details = place.kind === "moved" ? { movedTo: place.to } : { reason: "moving" };
    throw new IsopodError("unavailable", "The session is being moved.", "Try again in a moment.", details);
  }

  /** Sends everybody who asks for this session, which has not begun, to another object. */
  point(from: string, to: string, location: SessionLocation): void {
    const { ctx, reload } = this.#deps;
    savePlace(ctx.storage, { kind: "moved", from, to, location, isConfirmed: false });
    reload();
    ctx.waitUntil(this.#confirm());
  }

  /**
   * Stores that the session leaves for another object, and moves it. From now on it is not in use, until it is there.
   * @throws IsopodError `conflict` while a run or a command is under way; `unavailable` where the other object does not take it: the
   * session stays then, and is in use again
   */
  async leave(from: string, to: string, location: SessionLocation): Promise<void> {
    const { ctx, store, fence, arm, reload, now } = this.#deps;
    if (openRuns(store).some(({ state }) => !isSettled(state))) {
      const hint = "Wait for its end, or stop it with POST /v1/sessions/{key}/abort, and move the session then.";
      throw new IsopodError("conflict", "A run of this session is under way.", hint);
    }
    if (runningProcesses(store).length > 0) {
      const hint = "Wait for its end, or send /stop, and move the session then.";
      throw new IsopodError("conflict", "A command of this session runs in the background.", hint);
    }
    fence.write(() => savePlace(ctx.storage, { kind: "leaving", from, to, location }));
    arm(now());
    reload();
    await this.#leave();
  }

  /**
   * Stores the next part of an arriving session. The first one of an attempt replaces what an earlier one has left; the
   * same part again is not stored again.
   * @returns how many parts of this attempt are here: the sender begins anew if those are not what it has sent
   * @throws IsopodError `conflict` where a session is in use here; the error of SQLite, with nothing stored
   */
  receive({ from, location, move, part, rows, isLast }: SessionPart): number {
    const { ctx, store, fence, arm, reload, now } = this.#deps;
    const before = this.place;
    if (part === 0 && (before?.kind !== "arriving" || before.move !== move)) {
      fence.writeUnclaimed(() => dropTables(ctx.storage));
      updateTables(ctx, store);
      savePlace(ctx.storage, { kind: "arriving", from, location, move, parts: 0, isComplete: false });
      reload();
    }
    const { place } = this;
    if (place?.kind !== "arriving" || place.move !== move) return 0;
    if (part !== place.parts) return place.parts;
    fence.writeUnclaimed(() => {
      insertRows(ctx.storage, rows);
      savePlace(ctx.storage, { ...place, parts: part + 1, isComplete: isLast });
    });
    arm(now() + ASK_AFTER_MS);
    return part + 1;
  }

  /** The object that the session comes from has let go of it. */
  confirmed(): void {
    const { place } = this;
    if (place?.kind === "arriving" && place.isComplete) this.#finishArrival(place.location);
  }

  /** Goes on with a move that was interrupted. Never rejects: what fails is repeated with the next alarm. */
  async resume(): Promise<void> {
    const { place } = this;
    try {
      if (place?.kind === "leaving") await this.#leave();
      if (place?.kind === "moved") await this.#confirm();
      if (place?.kind === "arriving") await this.#askWhere(place.from);
    } catch (error) {
      log("error", "move.failed", { error: messageOf(error) });
    }
  }

  #leave(): Promise<void> {
    this.#leaving ??= this.#copyAndDrop().finally(() => {
      this.#leaving = undefined;
    });
    return this.#leaving;
  }

  async #copyAndDrop(): Promise<void> {
    const { ctx, fence, idle, reload } = this.#deps;
    const { place } = this;
    if (place?.kind !== "leaving") return;
    // Work that does not stop ends with this incarnation; the next one has none and goes on.
    if (!(await comesWithin(STOP_MS, idle()))) ctx.abort("The session is being moved.");
    const { from, to, location } = place;
    try {
      await this.#copy(place);
    } catch (error) {
      fence.write(() => savePlace(ctx.storage, undefined));
      reload();
      const hint = "It stays where it was and can be used. Try again in a moment.";
      throw new IsopodError("unavailable", `The session was not moved: ${messageOf(error)}`, hint);
    }
    fence.write(() => {
      dropTables(ctx.storage);
      savePlace(ctx.storage, { kind: "moved", from, to, location, isConfirmed: false });
    });
    reload();
    await this.#confirm();
  }

  /** @throws IsopodError where the parts do not arrive */
  async #copy(place: LeavingPlace): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) if (await this.#send(place)) return;
    throw new IsopodError("unavailable", "The other object has lost parts of it several times.");
  }

  /** Sends all parts. False where the other object has lost some. */
  async #send({ from, to, location }: LeavingPlace): Promise<boolean> {
    const { ctx, env } = this.#deps;
    const move = crypto.randomUUID();
    const parts = sessionParts(ctx.storage);
    let next = parts.next();
    for (let part = 0; !next.done; part++) {
      const rows = next.value;
      next = parts.next();
      const sent: SessionPart = { from, location, move, part, rows, isLast: next.done === true };
      const there = await callObject(env, addressIn(to, location), (other: RelocationCalls) => other.receive(sent));
      if (there !== part + 1) return false;
    }
    return true;
  }

  /** Tells D1 and the other object that the session is there. */
  async #confirm(): Promise<void> {
    const { ctx, env, arm, now } = this.#deps;
    const { place } = this;
    if (place?.kind !== "moved" || place.isConfirmed) return;
    const { from, to, location } = place;
    knownPlaces.learn(from, to);
    arm(now() + STOP_MS);
    try {
      await saveMove(env.DB, from, to);
      await callObject(env, addressIn(to, location), (other: RelocationCalls) => other.confirmMove());
      savePlace(ctx.storage, { ...place, isConfirmed: true });
      await ctx.storage.deleteAlarm();
    } catch (error) {
      logFailure("move.not_confirmed")(error);
    }
  }

  #finishArrival(location: SessionLocation): void {
    const { ctx, env, store, fence, reload } = this.#deps;
    fence.writeUnclaimed(() => {
      saveLocation(store, location);
      savePlace(ctx.storage, undefined);
    });
    reload();
    const key = readSessionRow(store)?.key ?? "";
    ctx.waitUntil(indexLocation(env.DB, key, location).catch(logFailure("move.not_indexed")));
  }

  /**
   * Asks the object that a session was to come from where it is: it may have moved on while this one was not there, or
   * have given up. What it has kept is deleted here.
   */
  async #askWhere(from: string): Promise<void> {
    const { ctx, env, arm, reload, now } = this.#deps;
    arm(now() + ASK_AFTER_MS);
    const there = await callObject(env, { name: from }, (other: RelocationCalls, name) => other.settle(name, name));
    // If the session is here, the question has come here, too, and the session is in use.
    if (this.place?.kind !== "arriving") return;
    log("warn", "move.abandoned", { from, there });
    await ctx.storage.deleteAll();
    reload();
  }
}

function logFailure(event: string): (error: unknown) => void {
  return (error) => log("warn", event, { error: messageOf(error) });
}
