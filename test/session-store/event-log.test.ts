import { expect, test } from "vitest";
import type { AgentEvent } from "../../src/agent/events.ts";
import { RecentEvents } from "../../src/session-store/event-log.ts";
import type { EventRequest } from "../../src/session-store/stored-events.ts";

function event(seq: number, runId = "run_a"): AgentEvent {
  return { type: "queue", phase: "waiting", ahead: 0, runId, seq, ts: 0 };
}

/** The numbers of what is at hand; undefined where storage has to be asked. */
function seqs(recent: RecentEvents, request: Partial<EventRequest>): number[] | undefined {
  return recent.read({ after: 0, limit: 100, ...request })?.events.map(({ seq }) => seq);
}

test("a reader at the newest buffered event gets what follows it from memory, and one further behind from storage", () => {
  const recent = new RecentEvents(9);
  for (let seq = 10; seq < 40; seq += 2) recent.add([event(seq), event(seq + 1)]);
  expect(seqs(recent, { after: 39 })).toEqual([]);
  expect(seqs(recent, { after: 36 })).toEqual([37, 38, 39]);
  expect(seqs(recent, { after: 23 })?.at(0)).toBe(24);
  expect(seqs(recent, { after: 22 })).toBeUndefined();
  expect(seqs(new RecentEvents(9), { after: 8 })).toBeUndefined();
});

test("a run that began after the oldest buffered event is buffered from its beginning", () => {
  const recent = new RecentEvents(9);
  recent.add([event(10, "run_a"), event(11, "run_b"), event(12, "run_a")]);
  const run = { runId: "run_a", firstSeq: 10, endSeq: undefined };
  expect(seqs(recent, { after: 0, run })).toEqual([10, 12]);
  expect(seqs(recent, { after: 0, run: { ...run, firstSeq: 8 } })).toBeUndefined();
});

test("a full page of events says up to which event it is complete", () => {
  const recent = new RecentEvents(0);
  recent.add([event(1), event(2), event(3)]);
  expect(recent.read({ after: 0, limit: 2 })).toMatchObject({ events: [{ seq: 1 }, { seq: 2 }], upTo: 2 });
  expect(recent.read({ after: 1, limit: 2 })).toMatchObject({ upTo: Number.POSITIVE_INFINITY });
});

test("a revoked event is not in the buffer, and later events are", () => {
  const recent = new RecentEvents(0);
  recent.add([event(1), event(2)]);
  recent.clear(2);
  expect(seqs(recent, { after: 1 })).toBeUndefined();
  recent.add([event(3)]);
  expect(seqs(recent, { after: 2 })).toEqual([3]);
});
