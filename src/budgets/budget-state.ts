import { type Cap, DAY, type Spending } from "./budget-caps.ts";

/** How long what was set aside for a call stays so without a word of its end, in milliseconds. */
export const LAPSE_MS = 10 * 60_000;
/** Minutes that are kept: a day, and the one that is partly in it. */
export const KEPT_MINUTES = DAY + 1;

const MINUTE_MS = 60_000;

/** What was spent in one minute of the clock, and what was set aside in it. */
export interface Bucket {
  /** Minutes since the epoch. */
  minute: number;
  /** Runs that asked a model for the first time. */
  runs: string[];
  tokens: number;
  micros: number;
  /** Calls of which nobody has said yet what they spent. */
  open: Reservation[];
}

/** What a call is likely to spend. It counts until it is settled or lapses. */
export interface Reservation {
  callId: string;
  runId: string;
  tokens: number;
  micros: number;
  lapsesAt: number;
}

/** A run that wants to make a call. */
export interface Claim {
  runId: string;
  /** When the run began, in milliseconds since the epoch; undefined where it is none that counts. */
  startedAt: number | undefined;
  /** Absent where only runs are capped. */
  call?: { callId: string; tokens: number; micros: number };
  /** Whether an object begins or goes on with the run: nobody waits any more for what was set aside for it before. */
  takesOver: boolean;
}

/** The cap that leaves no room, and when it will; undefined where so much never fits. */
export interface FullCap {
  cap: Cap;
  wanted: number;
  roomAt: number | undefined;
}

/** What comes of a claim: the buckets to be stored, and whether the run counts from now on; or why not. */
export type ClaimOutcome = { granted: true; changed: Bucket[]; countsRun: boolean } | { granted: false; full: FullCap };

/** How much of a cap is used. */
export interface CapUse {
  cap: Cap;
  spent: number;
  reserved: number;
  isFull: boolean;
  /** When something comes free; absent where it is not full, or never has room. */
  roomAt?: number;
}

/** The minute that an instant is in. */
export function minuteOf(now: number): number {
  return Math.floor(now / MINUTE_MS);
}

/** Decides on a claim, for all caps at once. A claim that comes again for the same call is granted and changes nothing. */
export function claim(buckets: readonly Bucket[], asked: Claim, caps: readonly Cap[], now: number): ClaimOutcome {
  const { runId, call } = asked;
  if (call !== undefined && findOpen(buckets, call.callId)) return { granted: true, changed: [], countsRun: false };
  const before = asked.takesOver ? buckets.map((bucket) => givenUp(bucket, runId, now)) : buckets;
  const countsRun = isNewRun(before, asked, now);
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

/** What a call has spent takes the place of what was set aside for it, however late. Undefined where it is known. */
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

/** Takes back a claim that was granted and not made use of: its call, and its run where that began to count with it. */
export function givenBack(buckets: readonly Bucket[], runId: string | undefined, callId: string | undefined): Bucket[] {
  return buckets.flatMap((bucket) => {
    const runs = bucket.runs.filter((id) => id !== runId);
    const open = bucket.open.filter((reservation) => reservation.callId !== callId);
    const isSame = runs.length === bucket.runs.length && open.length === bucket.open.length;
    return isSame ? [] : [{ ...bucket, runs, open }];
  });
}

/** How much of each cap is used. */
export function capUses(buckets: readonly Bucket[], caps: readonly Cap[], now: number): CapUse[] {
  return caps.map((cap) => {
    const used = amounts(buckets, cap, now);
    const reserved = sum(used.filter(({ isOpen }) => isOpen));
    const full = overflow(buckets, cap, 1, now)[0];
    const deps = full?.roomAt === undefined ? {} : { roomAt: full.roomAt };
    return { cap, spent: sum(used) - reserved, reserved, isFull: full !== undefined, ...deps };
  });
}

function emptyBucket(now: number): Bucket {
  return { minute: minuteOf(now), runs: [], tokens: 0, micros: 0, open: [] };
}

function findOpen(buckets: readonly Bucket[], callId: string): Bucket | undefined {
  return buckets.find(({ open }) => open.some((reservation) => reservation.callId === callId));
}

/** What was set aside for a run lapses at once, but may still be settled by whoever set it aside. */
function givenUp(bucket: Bucket, runId: string, now: number): Bucket {
  const isGone = (open: Reservation) => open.runId === runId && open.lapsesAt > now;
  if (!bucket.open.some(isGone)) return bucket;
  return { ...bucket, open: bucket.open.map((open) => (isGone(open) ? { ...open, lapsesAt: now } : open)) };
}

/** A run counts once, in the day in which it began, however often and late it goes on. */
function isNewRun(buckets: readonly Bucket[], { runId, startedAt }: Claim, now: number): boolean {
  if (startedAt === undefined || minuteOf(startedAt) < minuteOf(now) - DAY) return false;
  return !buckets.some(({ runs }) => runs.includes(runId));
}

/** Something that counts against a cap, and when it no longer does. */
interface Amount {
  amount: number;
  until: number;
  isOpen: boolean;
}

/**
 * What counts against a cap now. A minute that is partly within the window counts as a whole: so within no hour (or
 * day), wherever it begins, more is spent than the cap allows.
 */
function amounts(buckets: readonly Bucket[], { of, minutes }: Cap, now: number): Amount[] {
  const first = minuteOf(now) - minutes;
  return buckets.flatMap((bucket) => {
    if (bucket.minute < first) return [];
    const until = (bucket.minute + minutes + 1) * MINUTE_MS;
    const spent = { amount: of === "runs" ? bucket.runs.length : bucket[of], until, isOpen: false };
    const open = bucket.open
      .filter(({ lapsesAt }) => lapsesAt > now)
      .map((call) => ({ amount: amountOf(call, of), until: Math.min(until, call.lapsesAt), isOpen: true }));
    return [spent, ...open];
  });
}

function amountOf(call: Reservation, of: Spending): number {
  return of === "runs" ? 0 : call[of];
}

function sum(amounts: readonly Amount[]): number {
  return amounts.reduce((total, { amount }) => total + amount, 0);
}

/** Whether a cap has no room for what is wanted, and when it will have, as far as is known now. */
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

/** Sorts caps by how long they have to be waited for, the longest first: before that one has room there is none. */
export function lastToHaveRoom({ roomAt: a = NEVER }: FullCap, { roomAt: b = NEVER }: FullCap): number {
  return b - a;
}

const NEVER = Number.MAX_SAFE_INTEGER;

/** What a claim is answered: whether its run counts from now on, or which cap leaves no room. */
export type ClaimAnswer = { granted: true; countsRun: boolean } | { granted: false; full: FullCap };

/** What may be asked of a budget's object. Every call may be repeated. */
export interface BudgetCalls {
  claim(asked: Claim, caps: readonly Cap[]): Promise<ClaimAnswer>;
  settle(callId: string, spent: { tokens: number; micros: number }): Promise<void>;
  giveBack(runId: string | undefined, callId: string | undefined): Promise<void>;
  uses(caps: readonly Cap[]): Promise<CapUse[]>;
}

/** The namespace of all budgets' objects, by scope. */
export interface BudgetNamespace {
  getByName(scope: string): BudgetCalls;
}
