import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { AgentEvent } from "../../src/agent/events.ts";
import { EventLog, RecentEvents } from "../../src/session-store/event-log.ts";
import type { Store } from "../../src/session-store/store.ts";
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

describe("live events", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A log that stores nothing: it asks its database for no more numbers than a test takes. */
  function openLog(): EventLog {
    const log = new EventLog({} as Store, 1);
    log.reserve();
    return log;
  }

  function say(log: EventLog, text: string, runId = "run_a"): void {
    log.show(runId, 0, { type: "assistant", phase: "delta", text });
  }

  function texts(events: readonly AgentEvent[]): string[] {
    return events.map((event) => ("text" in event ? event.text : event.type));
  }

  test("deltas that no reader has seen are one event, and a seen one stays as it is", () => {
    const log = openLog();
    for (const text of ["a", "b", "c"]) say(log, text);
    const first = log.read({ after: 0, limit: 10 });
    expect(texts(first)).toEqual(["abc"]);
    for (const text of ["d", "e"]) say(log, text);
    expect(texts(first)).toEqual(["abc"]);
    expect(texts(log.read({ after: first[0]?.seq ?? 0, limit: 10 }))).toEqual(["de"]);
    say(log, "f");
    expect(texts(log.read({ after: 0, limit: 10 }))).toEqual(["abc", "de", "f"]);
  });

  test("text, reasoning and other runs do not join", () => {
    const log = openLog();
    say(log, "a");
    log.show("run_a", 0, { type: "assistant", phase: "delta", reasoning: "because" });
    say(log, "b");
    say(log, "c", "run_b");
    log.show("run_b", 0, { type: "assistant", phase: "restart", attempt: 2 });
    say(log, "d", "run_b");
    expect(texts(log.read({ after: 0, limit: 10 }))).toEqual(["a", "assistant", "b", "c", "assistant", "d"]);
  });

  test("of a call's updates only the newest is kept, and those of other calls and runs stay", () => {
    const log = openLog();
    const update = (callId: string, text: string, runId = "run_a") =>
      log.show(runId, 0, { type: "tool", phase: "update", callId, tool: "exec", text });
    update("c1", "one");
    update("c2", "other");
    update("c1", "of another run", "run_b");
    const seen = log.read({ after: 0, limit: 10 });
    for (let n = 0; n < 1000; n++) update("c1", `line ${n}`);
    expect(texts(seen)).toEqual(["one", "other", "of another run"]);
    expect(texts(log.read({ after: 0, limit: 10 }))).toEqual(["other", "of another run", "line 999"]);
    expect(texts(log.read({ after: seen.at(-1)?.seq ?? 0, limit: 10 }))).toEqual(["line 999"]);
  });

  test("whoever reads at whatever moments gets the whole text once", () => {
    const log = openLog();
    const readers = [1, 2, 3, 7, 50].map((every) => ({ every, after: 0, text: "" }));
    let said = "";
    const read = (reader: (typeof readers)[number]) => {
      for (const event of log.read({ after: reader.after, limit: 3 })) {
        reader.after = event.seq;
        reader.text += "text" in event ? event.text : "";
      }
    };
    for (let n = 1; n <= 200; n++) {
      said += `${n} `;
      say(log, `${n} `);
      for (const reader of readers) if (n % reader.every === 0) read(reader);
    }
    readers.forEach(read);
    expect(readers.map(({ text }) => text)).toEqual(readers.map(() => said));
  });

  test("readers are notified of the first delta at once, and of the next ones at a pace", async () => {
    const log = openLog();
    let notified = 0;
    log.watch(() => notified++);
    say(log, "a");
    expect(notified).toBe(1);
    for (let n = 0; n < 100; n++) say(log, "b");
    expect(notified).toBe(1);
    await vi.advanceTimersByTimeAsync(10);
    expect(notified).toBe(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(notified).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
    say(log, "c");
    expect(notified).toBe(3);
  });
});
