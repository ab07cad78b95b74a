import { type LaneName, SESSION_KINDS } from "../config/origins.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { laneCap } from "../services/lane-cap.ts";
import type { Config } from "../services/services.ts";
import type { TurnContext } from "../turn/turn-context.ts";
import type { Lane } from "./lane.ts";
import { LEASE_MS } from "./lane-state.ts";

const RETRY_MS = 500;

/** A granted slot of a lane, to be released. */
export interface Slot {
  release(): void;
}

/** Dependencies of `takeSlot`. */
export interface LaneSlotDeps {
  lanes: DurableObjectNamespace<Lane>;
  config: Config;
  /** Keeps the object alive for calls that are not awaited. */
  waitUntil(promise: Promise<unknown>): void;
}

const FREE: Slot = { release: () => undefined };

/**
 * Waits for a slot of a lane. Without a cap this makes no call. A lane that does not answer is called again. Never
 * rejects: a run that is stopped while waiting leaves the lane and gets a slot without effect.
 */
export async function takeSlot(name: LaneName, runId: string, deps: LaneSlotDeps, signal: AbortSignal): Promise<Slot> {
  const cap = laneCap(name, deps.config);
  if (cap === 0) return FREE;
  const lane = () => deps.lanes.getByName(name);
  const leave = () => deps.waitUntil(quietly("slot.not_released", () => lane().release(runId)));
  signal.addEventListener("abort", leave, { once: true });
  while (!signal.aborted) {
    const granted = await quietly("slot.not_acquired", () => lane().acquire(runId, cap));
    if (granted) break;
    if (granted === undefined) await scheduler.wait(RETRY_MS);
  }
  if (signal.aborted) return FREE;
  const renew = () => deps.waitUntil(quietly("slot.not_renewed", () => lane().renew(runId)));
  const renewal = setInterval(renew, LEASE_MS / 3);
  return {
    release() {
      clearInterval(renewal);
      signal.removeEventListener("abort", leave);
      leave();
    },
  };
}

/**
 * Takes a slot of a lane whose runs are paced before they start: it waits for nothing, and the run counts in the lane
 * until it ends. Never rejects.
 */
export async function keepSlot(name: LaneName, runId: string, deps: LaneSlotDeps): Promise<Slot> {
  if (laneCap(name, deps.config) === 0) return FREE;
  const lane = () => deps.lanes.getByName(name);
  const keep = () => deps.waitUntil(quietly("slot.not_kept", () => lane().keep(runId)));
  const renewal = setInterval(keep, LEASE_MS / 3);
  return {
    release() {
      clearInterval(renewal);
      deps.waitUntil(quietly("slot.not_released", () => lane().release(runId)));
    },
  };
}

/** The lane that a session's run counts towards. */
export function laneOf({ origin: { lane }, session }: Pick<TurnContext, "origin" | "session">): LaneName {
  return lane === "session" ? SESSION_KINDS[parseSessionKey(session.key).kind].lane : lane;
}

/** The result of a call; undefined if the lane did not answer, which is logged. */
async function quietly<Result>(event: string, call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await call();
  } catch (error) {
    log("warn", event, { error: messageOf(error) });
    return undefined;
  }
}
