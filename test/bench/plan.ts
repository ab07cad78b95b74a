import type { DeltaLoad } from "./deltas.ts";

/** How much is measured. */
export interface Plan {
  /** Turns in one session, one after the other. */
  sequential: { warmUp: number; turns: number };
  /** Sessions at once, the turns of each, and how often all of that is repeated. */
  parallel: { sessions: number; turns: number; rounds: number };
  deltas: readonly DeltaLoad[];
  /** Long answers over each interface. */
  interfaces: DeltaLoad;
  /** Lengths of transcripts in messages, and the turns in each. */
  growth: { lengths: readonly number[]; turns: number };
  /** New sessions. */
  firstTurns: number;
  /** Turns of which operations are counted, each so long after the last. */
  counted: number;
  /** Profiles of the Worker's start. */
  startProfiles: number;
  /** Of the memory that is searched. */
  chunks: number;
}

/** What the published figures are measured with. */
export const WHOLE: Plan = {
  sequential: { warmUp: 20, turns: 50 },
  parallel: { sessions: 20, turns: 5, rounds: 5 },
  deltas: [
    { deltas: 20, turns: 20 },
    { deltas: 500, turns: 8 },
    { deltas: 5_000, turns: 3 },
  ],
  interfaces: { deltas: 5_000, turns: 3 },
  growth: { lengths: [10, 1_000], turns: 20 },
  firstTurns: 15,
  counted: 3,
  startProfiles: 5,
  chunks: 10_000,
};

/** Enough to know that every figure comes about, and for counts, which do not vary. */
export const SMOKE: Plan = {
  sequential: { warmUp: 2, turns: 3 },
  parallel: { sessions: 20, turns: 1, rounds: 1 },
  deltas: [
    { deltas: 20, turns: 1 },
    { deltas: 500, turns: 1 },
    { deltas: 5_000, turns: 1 },
  ],
  interfaces: { deltas: 1_000, turns: 1 },
  growth: { lengths: [10, 60], turns: 2 },
  firstTurns: 2,
  counted: 1,
  startProfiles: 1,
  chunks: 200,
};
