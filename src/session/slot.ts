import { type LaneName, SESSION_KINDS } from "../config/origins.ts";
import { parseSessionKey } from "../config/session-key.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { Config } from "../services/services.ts";
import type { TurnContext } from "../turn/turn-context.ts";
import type { Lane } from "./lane.ts";
import { LEASE_MS } from "./lane-state.ts";

const RETRY_MS = 500;

/** The right to work, among those that a lane gives out; to be given back. */
export interface Slot {
  release(): void;
}

/** Where slots are asked for. */
export interface LaneSlotDeps {
  lanes: DurableObjectNamespace<Lane>;
  config: Config;
  /** Keeps the object alive for calls that nobody waits for. */
  waitUntil(promise: Promise<unknown>): void;
}

const FREE: Slot = { release: () => undefined };

/**
 * Waits until a run may work. Without a cap that costs no call. A lane that does not answer is asked again. Never
 * rejects: a run that is stopped while it waits leaves the lane and gets a slot that counts for nothing.
 */
export async function takeSlot(name: LaneName, runId: string, deps: LaneSlotDeps, signal: AbortSignal): Promise<Slot> {
  const cap = capOf(name, deps.config);
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

/** The lane that a run of a session counts in. */
export function laneOf({ origin: { lane }, session }: Pick<TurnContext, "origin" | "session">): LaneName {
  return lane === "session" ? SESSION_KINDS[parseSessionKey(session.key).kind].lane : lane;
}

/** How many runs may work in a lane at once; 0 means any number. */
function capOf(name: LaneName, config: Config): number {
  const { maxConcurrent } = config.agents.defaults;
  if (typeof maxConcurrent === "number") return name === "main" ? maxConcurrent : 0;
  return maxConcurrent?.[name] ?? 0;
}

/** What a call gives; undefined where the lane did not answer, which is logged. */
async function quietly<Result>(event: string, call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await call();
  } catch (error) {
    log("warn", event, { error: messageOf(error) });
    return undefined;
  }
}
