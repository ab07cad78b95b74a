import type { RunView } from "../../src/session-store/run-views.ts";
import type { Breach } from "./check.ts";
import type { HistoryMessage } from "./evidence.ts";

/** What is known of the heartbeats of one agent when a torture is over. */
export interface Beats {
  sessionKey: string;
  history: readonly HistoryMessage[];
  runs: readonly RunView[];
  /** When the next one is due, and the last minute that the clock told. Milliseconds since the epoch. */
  nextAt: number;
  lastMinute: number;
}

/** Each slot has one run, every run comes to a good end, and none is overdue. */
export function slotBreachesIn({ sessionKey: session, history, runs, nextAt, lastMinute }: Beats): Breach[] {
  const slots = slotsIn(history);
  const twice = slots.filter((slot, at) => slots.indexOf(slot) !== at);
  const unsettled = runs.filter(({ status }) => status === "running" || status === "queued");
  const failed = runs.filter(({ status, error }) => status !== "ok" && error?.code !== "crash_loop");
  return [
    ...twice.map((slot): Breach => ({ kind: "doubledSlot", session, what: `the heartbeat of ${slot} ran twice` })),
    ...unsettled.map(({ runId, status }): Breach => ({ kind: "stuck", session, runId, what: `it is still ${status}` })),
    ...failed
      .filter((run) => !unsettled.includes(run))
      .map(({ runId, status, error }): Breach => {
        return { kind: "failed", session, runId, what: `${status} ${error?.code ?? ""}: ${error?.message ?? ""}` };
      }),
    ...(slots.length === 0 ? [{ kind: "missedSlot", session, what: "no heartbeat ran" } as const] : []),
    ...(nextAt < lastMinute
      ? [
          {
            kind: "missedSlot",
            session,
            what: `the next heartbeat was due ${(lastMinute - nextAt) / 60_000} minutes ago`,
          } as const,
        ]
      : []),
  ];
}

/** The times of the heartbeats in a transcript, in its order. */
export function slotsIn(history: readonly HistoryMessage[]): string[] {
  return history.flatMap((entry) => {
    const slot = entry.role === "user" ? /^\[Heartbeat, ([^\]]+)\]/.exec(entry.text)?.[1] : undefined;
    return slot === undefined ? [] : [slot];
  });
}
