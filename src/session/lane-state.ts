/** How long a slot is held without a sign of life, in milliseconds; a dead holder's comes back after that. */
export const LEASE_MS = 30_000;
/** How long one call waits for a slot before it asks again: who does not ask again is not waiting any more. */
export const POLL_MS = 10_000;

/** Who may work in a lane, and who waits for it in which order. Instants are milliseconds since the epoch. */
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
  /** When the call that waits gives up and asks again. */
  pollEndsAt: number;
}

/** A run asks, for the first time or again. Its place among those that wait stays the same. */
export function ask(state: LaneState, runId: string, now: number): LaneState {
  const waiter = { runId, pollEndsAt: now + POLL_MS };
  const isWaiting = state.waiters.some((known) => known.runId === runId);
  if (isHolder(state, runId)) return renew(state, runId, now);
  const waiters = isWaiting
    ? state.waiters.map((known) => (known.runId === runId ? waiter : known))
    : [...state.waiters, waiter];
  return { ...state, waiters };
}

/** Hands free slots to those that have waited longest, and drops who is dead. */
export function handOut(state: LaneState, cap: number, now: number): LaneState {
  const alive = state.holders.filter((holder) => holder.leaseExpiresAt > now);
  // A poll ends and the next one comes a moment later: who is late by less than a poll has kept its place.
  const present = state.waiters.filter((waiter) => waiter.pollEndsAt + POLL_MS > now);
  const ready = present.filter((waiter) => waiter.pollEndsAt > now).slice(0, Math.max(0, cap - alive.length));
  const granted = ready.map(({ runId }) => ({ runId, leaseExpiresAt: now + LEASE_MS }));
  return { holders: [...alive, ...granted], waiters: present.filter((waiter) => !ready.includes(waiter)) };
}

/** A holder is still at work. */
export function renew(state: LaneState, runId: string, now: number): LaneState {
  const holders = state.holders.map((holder) =>
    holder.runId === runId ? { runId, leaseExpiresAt: now + LEASE_MS } : holder,
  );
  return { ...state, holders };
}

/** A run needs no slot any more, whether it has one or waits for one. */
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

/** When a slot comes free that nobody gives back; undefined where all are free. */
export function nextExpiry(state: LaneState): number | undefined {
  return state.holders.length === 0 ? undefined : Math.min(...state.holders.map((holder) => holder.leaseExpiresAt));
}
