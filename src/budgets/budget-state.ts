import { type Cap, DAY, type Spending } from "./budget-caps.ts";

/** How long a reservation lasts without being settled, in milliseconds. */
export const LAPSE_MS = 10 * 60_000;
/** Minutes that are kept: a day, and the current minute. */
export const KEPT_MINUTES = DAY + 1;

const MINUTE_MS = 60_000;

/** The spending and the reservations of one minute. */
export interface Bucket {
  /** Minutes since the epoch. */
  minute: number;
  /** Runs that called a model for the first time. */
  runs: string[];
  tokens: number;
  micros: number;
  /** Reservations that are not settled. */
  open: Reservation[];
}

/** The expected spending of a call. It counts until it is settled or lapses. */
export interface Reservation {
  callId: string;
  runId: string;
  tokens: number;
  micros: number;
  lapsesAt: number;
}

/** A run's request to make a call. */
export interface Claim {
  runId: string;
  /** When the run began, in milliseconds since the epoch; undefined where it does not count as a run. */
  startedAt: number | undefined;
  /** Absent where only runs are capped. */
  call?: { callId: string; tokens: number; micros: number };
  /** Whether an object starts or resumes the run: earlier reservations of it are abandoned. */
  takesOver: boolean;
}

/** A full cap, and when it has room; undefined where the amount never fits. */
export interface FullCap {
  cap: Cap;
  wanted: number;
  roomAt: number | undefined;
}

/** The answer to a claim: the buckets to store, and whether the run counts from now on; or the full cap. */
export type ClaimOutcome = { granted: true; changed: Bucket[]; countsRun: boolean } | { granted: false; full: FullCap };

/** The use of a cap. */
export interface CapUse {
  cap: Cap;
  spent: number;
  reserved: number;
  isFull: boolean;
  /** When some of it is free again; absent where it is not full, or never has room. */
  roomAt?: number;
}

/** The minute of an instant. */
export function minuteOf(now: number): number {
  return Math.floor(now / MINUTE_MS);
}

/** Decides on a claim, for all caps at once. A repeated claim for the same call is granted and changes nothing. */
export function claim(buckets: readonly Bucket[], request: Claim, caps: readonly Cap[], now: number): ClaimOutcome {
  const { runId, call } = request;
  if (call !== undefined && findOpen(buckets, call.callId)) return { granted: true, changed: [], countsRun: false };
  const before = request.takesOver ? buckets.map((bucket) => abandoned(bucket, runId, now)) : buckets;
  const countsRun = isNewRun(before, request, now);
  const wanted = { runs: countsRun ? 1 : 0, tokens: call?.tokens ?? 0, micros: call?.micros ?? 0 };
  const [full] = caps.flatMap((cap) => overflow(before, cap, wanted[cap.of], now)).sort(lastToHaveRoom);
  if (full !== undefined) return { granted: false, full };
  const current = before.find(({ minute }) => minute === minuteOf(now)) ?? emptyBucket(now);
  const next = {
    ...current,
    runs: countsRun ? [...current.runs, runId] : current.runs,
    open: call === undefined ? current.open : [...current.open, { ...call, runId, lapsesAt: now + LAPSE_MS }],
  };
  const after = countsRun || call !== undefined ? [...before.filter((bucket) => bucket !== current), next] : before;
  const known = new Set(buckets);
  return { granted: true, changed: after.filter((bucket) => !known.has(bucket)), countsRun };
}

/** Replaces a reservation by the real spending, however late; undefined where the call has no reservation. */
export function settled(
  buckets: readonly Bucket[],
  callId: string,
  spent: { tokens: number; micros: number },
): Bucket | undefined {
  const bucket = findOpen(buckets, callId);
  if (bucket === undefined) return undefined;
  const { tokens, micros } = bucket;
  const open = bucket.open.filter((reservation) => reservation.callId !== callId);
  return { ...bucket, open, tokens: tokens + spent.tokens, micros: micros + spent.micros };
}

/** Takes back an unused grant: its reservation, and its run where it began to count with it. */
export function withoutClaim(
  buckets: readonly Bucket[],
  runId: string | undefined,
  callId: string | undefined,
): Bucket[] {
  return buckets.flatMap((bucket) => {
    const runs = bucket.runs.filter((id) => id !== runId);
    const open = bucket.open.filter((reservation) => reservation.callId !== callId);
    const isSame = runs.length === bucket.runs.length && open.length === bucket.open.length;
    return isSame ? [] : [{ ...bucket, runs, open }];
  });
}

/** The use of each cap. */
export function capUses(buckets: readonly Bucket[], caps: readonly Cap[], now: number): CapUse[] {
  return caps.map((cap) => {
    const used = amounts(buckets, cap, now);
    const reserved = sum(used.filter(({ isOpen }) => isOpen));
    const full = overflow(buckets, cap, 1, now)[0];
    const room = full?.roomAt === undefined ? {} : { roomAt: full.roomAt };
    return { cap, spent: sum(used) - reserved, reserved, isFull: full !== undefined, ...room };
  });
}

function emptyBucket(now: number): Bucket {
  return { minute: minuteOf(now), runs: [], tokens: 0, micros: 0, open: [] };
}

function findOpen(buckets: readonly Bucket[], callId: string): Bucket | undefined {
  return buckets.find(({ open }) => open.some((reservation) => reservation.callId === callId));
}

/** Reservations of a run lapse at once, but can still be settled. */
function abandoned(bucket: Bucket, runId: string, now: number): Bucket {
  const isGone = (open: Reservation) => open.runId === runId && open.lapsesAt > now;
  if (!bucket.open.some(isGone)) return bucket;
  return { ...bucket, open: bucket.open.map((open) => (isGone(open) ? { ...open, lapsesAt: now } : open)) };
}

/** A run counts once, in the day in which it began, however often it resumes. */
function isNewRun(buckets: readonly Bucket[], { runId, startedAt }: Claim, now: number): boolean {
  if (startedAt === undefined || minuteOf(startedAt) < minuteOf(now) - DAY) return false;
  return !buckets.some(({ runs }) => runs.includes(runId));
}

/** An amount that counts against a cap, and until when. */
interface Amount {
  amount: number;
  until: number;
  isOpen: boolean;
}

/**
 * The amounts that count against a cap. A minute that is partly within the window counts as a whole, so that no window,
 * wherever it begins, exceeds the cap.
 */
function amounts(buckets: readonly Bucket[], { of, minutes }: Cap, now: number): Amount[] {
  const first = minuteOf(now) - minutes;
  return buckets.flatMap((bucket) => {
    if (bucket.minute < first) return [];
    const until = (bucket.minute + minutes + 1) * MINUTE_MS;
    const spent = { amount: of === "runs" ? bucket.runs.length : bucket[of], until, isOpen: false };
    const open = bucket.open
      .filter(({ lapsesAt }) => lapsesAt > now)
      .map((call) => ({ amount: reservedAmount(call, of), until: Math.min(until, call.lapsesAt), isOpen: true }));
    return [spent, ...open];
  });
}

function reservedAmount(call: Reservation, of: Spending): number {
  return of === "runs" ? 0 : call[of];
}

function sum(amounts: readonly Amount[]): number {
  return amounts.reduce((total, { amount }) => total + amount, 0);
}

/** Whether a cap has no room for an amount, and when it will, as far as is known now. */
function overflow(buckets: readonly Bucket[], cap: Cap, wanted: number, now: number): FullCap[] {
  if (wanted === 0) return [];
  const used = amounts(buckets, cap, now);
  let excess = sum(used) + wanted - cap.limit;
  if (excess <= 0) return [];
  for (const { amount, until } of used.sort((a, b) => a.until - b.until)) {
    excess -= amount;
    if (excess <= 0) return [{ cap, wanted, roomAt: until }];
  }
  return [{ cap, wanted, roomAt: undefined }];
}

/** Sorts caps by when they have room, the latest first: before that one has room there is none. */
export function lastToHaveRoom({ roomAt: a = NEVER }: FullCap, { roomAt: b = NEVER }: FullCap): number {
  return b - a;
}

const NEVER = Number.MAX_SAFE_INTEGER;

/** The answer to a claim: whether its run counts from now on, or the full cap. */
export type ClaimAnswer = { granted: true; countsRun: boolean } | { granted: false; full: FullCap };

/** The calls of a budget's object. Every call may be repeated. */
export interface BudgetCalls {
  claim(request: Claim, caps: readonly Cap[]): Promise<ClaimAnswer>;
  settle(callId: string, spent: { tokens: number; micros: number }): Promise<void>;
  giveBack(runId: string | undefined, callId: string | undefined): Promise<void>;
  uses(caps: readonly Cap[]): Promise<CapUse[]>;
}

/** The namespace of the budgets' objects, by scope. */
export interface BudgetNamespace {
  getByName(scope: string): BudgetCalls;
}
