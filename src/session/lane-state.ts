/** Lease of a slot, in milliseconds. A slot whose holder stopped renewing it becomes free after that. */
export const LEASE_MS = 30_000;
/** How long one call waits for a slot. A run that does not poll again has left the queue. */
export const POLL_MS = 10_000;

/** The runs that hold slots of a lane, and the queue of waiting runs. Times are milliseconds since the epoch. */
export interface LaneState {
  readonly holders: readonly Holder[];
  readonly waiters: readonly Waiter[];
}

export interface Holder {
  runId: string;
  leaseExpiresAt: number;
}

export interface Waiter {
  runId: string;
  /** When the current poll times out. */
  pollEndsAt: number;
}

/** Adds a run to the queue, or renews its poll or lease. A waiting run keeps its place. */
export function ask(state: LaneState, runId: string, now: number): LaneState {
  const waiter = { runId, pollEndsAt: now + POLL_MS };
  const isWaiting = state.waiters.some((known) => known.runId === runId);
  if (isHolder(state, runId)) return renew(state, runId, now);
  const waiters = isWaiting
    ? state.waiters.map((known) => (known.runId === runId ? waiter : known))
    : [...state.waiters, waiter];
  return { ...state, waiters };
}

/** Grants free slots to the runs that have waited longest, and drops expired holders and waiters. */
export function handOut(state: LaneState, cap: number, now: number): LaneState {
  const alive = state.holders.filter((holder) => holder.leaseExpiresAt > now);
  // There is a short gap between two polls: a waiter keeps its place for the length of one poll.
  const present = state.waiters.filter((waiter) => waiter.pollEndsAt + POLL_MS > now);
  const ready = present.filter((waiter) => waiter.pollEndsAt > now).slice(0, Math.max(0, cap - alive.length));
  const granted = ready.map(({ runId }) => ({ runId, leaseExpiresAt: now + LEASE_MS }));
  return { holders: [...alive, ...granted], waiters: present.filter((waiter) => !ready.includes(waiter)) };
}

/** Grants a run a slot if one is free; a holder keeps its own. */
export function admit(state: LaneState, runId: string, cap: number, now: number): LaneState {
  if (isHolder(state, runId)) return renew(state, runId, now);
  const alive = state.holders.filter((holder) => holder.leaseExpiresAt > now);
  return alive.length < cap ? hold({ ...state, holders: alive }, runId, now) : { ...state, holders: alive };
}

/** Makes a run a holder, whatever the cap: it has started already. */
export function hold(state: LaneState, runId: string, now: number): LaneState {
  const others = state.holders.filter((holder) => holder.runId !== runId);
  return { ...state, holders: [...others, { runId, leaseExpiresAt: now + LEASE_MS }] };
}

/** Renews a holder's lease. */
export function renew(state: LaneState, runId: string, now: number): LaneState {
  const holders = state.holders.map((holder) =>
    holder.runId === runId ? { runId, leaseExpiresAt: now + LEASE_MS } : holder,
  );
  return { ...state, holders };
}

/** Removes a run from the holders and the queue. */
export function leave(state: LaneState, runId: string): LaneState {
  return {
    holders: state.holders.filter((holder) => holder.runId !== runId),
    waiters: state.waiters.filter((waiter) => waiter.runId !== runId),
  };
}

/** Whether a run has a slot. */
export function isHolder(state: LaneState, runId: string): boolean {
  return state.holders.some((holder) => holder.runId === runId);
}

/** When the next lease expires; undefined if all slots are free. */
export function nextExpiry(state: LaneState): number | undefined {
  return state.holders.length === 0 ? undefined : Math.min(...state.holders.map((holder) => holder.leaseExpiresAt));
}
