import { describe, expect, test } from "vitest";
import type { AgentEvent, EventBody } from "../../src/agent/events.ts";
import { isEphemeral } from "../../src/agent/events.ts";
import type { HistoryMessage } from "../../src/client/wire.ts";
import type { AssistantPart } from "../../src/models/message.ts";
import { NO_USAGE } from "../../src/models/message.ts";
import { activeRun, type Conversation, change, EMPTY } from "../../src/web/conversation.ts";

const RUN = {
  ...{ runId: "run_1", sessionKey: "agent:main:main", sessionId: "ses_1", agentId: "main" },
  ...{ acceptedAt: 0, deliveries: [] },
};

describe("what a reader reconstructs", () => {
  test("is the transcript, wherever the connection breaks and whatever was said meanwhile", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomOf(seed);
      const server = new Server();
      let reader: Conversation = EMPTY;
      for (const step of storyOf(random)) {
        server.emit(step.runId, step.body);
        // The reader is away for two thirds of the time, and sometimes hears again what it has heard.
        const heard = random() < 0.33 ? server.after(reader.cursor - Math.floor(random() * 3)) : [];
        reader = heard.reduce((conversation, event) => change(conversation, { type: "event", event }), reader);
      }
      reader = server.after(reader.cursor).reduce((now, event) => change(now, { type: "event", event }), reader);
      expect(reader.messages, `seed ${seed}`).toEqual(server.transcript);
      expect(reader.draft, `seed ${seed}`).toBeUndefined();
      expect(activeRun(reader), `seed ${seed}`).toBeUndefined();
    }
  });

  test("is the same for one who opens the page in the middle as for one who was there all along", () => {
    const server = new Server();
    for (const { runId, body } of unfinishedStory()) server.emit(runId, body);
    const present = read(EMPTY, server.after(0));

    const page = { messages: server.transcript, cursor: server.after(0).at(-1)?.seq ?? 0 };
    const opened = change(EMPTY, { type: "opened", page });
    const late = read(opened, server.after(opened.cursor));

    expect(late.messages).toEqual(present.messages);
    expect(late.draft).toEqual(present.draft);
    expect(late.draft?.parts).toEqual([
      { type: "reasoning", text: "Let me see." },
      { type: "text", text: "It is Mochi" },
    ]);
  });
});

describe("a conversation", () => {
  const start = event(1, { type: "lifecycle", phase: "start", input: user("u1", "Hello") });

  test("puts the words of a message together as they come and gives them up for the whole message", () => {
    let now = read(EMPTY, [start, delta(2, "Good "), delta(3, "morning")]);
    expect(now.draft?.parts).toEqual([{ type: "text", text: "Good morning" }]);

    now = read(now, [event(4, { type: "assistant", phase: "message", message: assistant("a1", "Good morning.") })]);
    expect(now.draft).toBeUndefined();
    expect(now.messages.map((message) => message.id)).toEqual(["u1", "a1"]);
  });

  test("forgets unfinished words when the model is asked again", () => {
    const restart = event(3, { type: "assistant", phase: "restart", attempt: 2 });
    const now = read(EMPTY, [start, delta(2, "Good mor"), restart, delta(4, "Hello")]);
    expect(now.draft?.parts).toEqual([{ type: "text", text: "Hello" }]);
  });

  test("forgets unfinished words when the run fails, and says why it failed", () => {
    const error = { code: "model_error", message: "The model is overloaded." } as const;
    const now = read(EMPTY, [start, delta(2, "Good mor"), event(3, { type: "lifecycle", phase: "error", error })]);
    expect(now.draft).toBeUndefined();
    expect(now.runs.run_1).toEqual({ state: "failed", error });
  });

  test("hears an event once, however often it is sent", () => {
    const once = read(EMPTY, [start, delta(2, "Good ")]);
    const again = change(once, { type: "event", event: delta(2, "Good ") });
    expect(again).toBe(once);
  });

  test("shows the latest word of a running tool until its result is there", () => {
    const calls = event(2, { type: "tool", phase: "start", callId: "c1", tool: "read", args: {} });
    const says = event(3, { type: "tool", phase: "update", callId: "c1", tool: "read", text: "half of it" });
    let now = read(EMPTY, [start, calls, says]);
    expect(now.progress).toEqual({ c1: "half of it" });

    now = read(now, [event(4, { type: "tool", phase: "end", message: result("c1") })]);
    expect(now.progress).toEqual({});
    expect(now.messages.at(-1)).toMatchObject({ role: "tool", callId: "c1" });
  });

  test("keeps a question until it is answered or its run has ended", () => {
    const ask = (seq: number, id: string): AgentEvent =>
      event(seq, {
        type: "approval",
        phase: "requested",
        approvalId: id,
        callId: `c_${id}`,
        tool: "exec",
        args: {},
        question: "May I?",
      });
    const decided = event(4, { type: "approval", phase: "decided", approvalId: "a", decision: "deny" });
    const now = read(EMPTY, [start, ask(2, "a"), ask(3, "b"), decided]);
    expect(now.approvals).toEqual({ c_b: { approvalId: "b", question: "May I?", canRemember: false } });
    expect(read(now, [event(5, { type: "lifecycle", phase: "end", usage: NO_USAGE })]).approvals).toEqual({});
  });

  test("knows of a question from before it was opened", () => {
    const approvals = [
      { id: "a", callId: "c1", tool: "exec", args: {}, question: "May I?", requestedAt: 0, grant: { tool: "exec" } },
    ];
    const now = change(EMPTY, { type: "run", run: { ...RUN, status: "waiting_approval", approvals } });
    expect(now.approvals).toEqual({ c1: { approvalId: "a", question: "May I?", canRemember: true } });
    expect(activeRun(now)).toBe("run_1");
  });

  test("takes a message that joins the run into the transcript, and one that was dropped not", () => {
    const joins = event(2, { type: "queue", phase: "joining", input: { ...user("u2", "Faster"), fromRunId: "run_2" } });
    const gone: AgentEvent = {
      type: "queue",
      phase: "dropped",
      reason: "Too many wait.",
      runId: "run_3",
      seq: 3,
      ts: 0,
    };
    const now = read(EMPTY, [start, joins, gone]);
    expect(now.messages.map((message) => message.id)).toEqual(["u1", "u2"]);
    expect(now.runs.run_3).toEqual({ state: "failed", error: { code: "dropped", message: "Too many wait." } });
  });

  test("goes on reading past an event that only a newer page would understand", () => {
    const unknown = { ...start, type: "weather", seq: 2 } as unknown as AgentEvent;
    const now = read(EMPTY, [start, unknown, delta(3, "Hello")]);
    expect(now.cursor).toBe(3);
    expect(now.draft?.parts).toEqual([{ type: "text", text: "Hello" }]);
  });

  test("takes older messages in before the ones it has, each once", () => {
    const messages = Array.from({ length: 6 }, (_, index) => ({
      ...user(`u${index}`, "Hi"),
      seq: index + 1,
      runId: "r",
    }));
    const opened = change(EMPTY, { type: "opened", page: { messages: messages.slice(3), cursor: 6, before: 4 } });
    const whole = change(opened, { type: "older", page: { messages: messages.slice(0, 4), cursor: 6 } });
    expect(whole.messages).toEqual(messages);
    expect(whole.before).toBeUndefined();
    expect(whole.cursor).toBe(6);
  });

  test("learns from the server whether its last run is still at work", () => {
    const opened = change(EMPTY, {
      type: "opened",
      page: { messages: [{ ...user("u1", "Hello"), seq: 1, runId: "run_1" }], cursor: 1 },
    });
    expect(activeRun(opened)).toBeUndefined();
    expect(activeRun(change(opened, { type: "run", run: { ...RUN, status: "running" } }))).toBe("run_1");
    expect(activeRun(change(opened, { type: "run", run: { ...RUN, status: "ok" } }))).toBeUndefined();
  });
});

interface Step {
  runId: string;
  body: EventBody;
}

/** A session's log, which keeps deltas only until their message is there. */
class Server {
  #log: AgentEvent[] = [];
  #seq = 0;

  emit(runId: string, body: EventBody): void {
    if (body.type === "assistant" && body.phase === "message")
      this.#log = this.#log.filter((past) => !isEphemeral(past));
    this.#log.push({ ...body, runId, seq: ++this.#seq, ts: 0 });
  }

  after(seq: number): AgentEvent[] {
    return this.#log.filter((past) => past.seq > seq);
  }

  get transcript(): HistoryMessage[] {
    return this.#log.flatMap((past): HistoryMessage[] => {
      const head = { seq: past.seq, runId: past.runId };
      if (past.type === "lifecycle" && past.phase === "start") return [{ ...past.input, ...head }];
      if (past.type === "assistant" && past.phase === "message") return [{ ...past.message, ...head }];
      return past.type === "tool" && past.phase === "end" ? [{ ...past.message, ...head }] : [];
    });
  }
}

/** Some runs, one after another: words, restarts, tools, good and bad ends. */
function storyOf(random: () => number): Step[] {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => `run_${index}`).flatMap((runId) => {
    const bodies: EventBody[] = [{ type: "lifecycle", phase: "start", input: user(`${runId}_u`, "Hello") }];
    for (let call = 0; call <= random() * 3; call++) {
      const callId = `${runId}_c${call}`;
      for (let word = 0; word < random() * 6; word++) {
        bodies.push({
          type: "assistant",
          phase: "delta",
          ...(random() < 0.3 ? { reasoning: "hm " } : { text: "word " }),
        });
        if (random() < 0.2) bodies.push({ type: "assistant", phase: "restart", attempt: 2 });
      }
      bodies.push({ type: "assistant", phase: "message", message: assistant(`${runId}_a${call}`, "word word") });
      if (random() < 0.5) continue;
      bodies.push({ type: "tool", phase: "start", callId, tool: "read", args: {} });
      bodies.push({ type: "tool", phase: "update", callId, tool: "read", text: "…" });
      bodies.push({ type: "tool", phase: "end", message: result(callId) });
    }
    const error = { code: "model_error", message: "No." } as const;
    if (random() < 0.3) bodies.push({ type: "assistant", phase: "delta", text: "unfin" });
    bodies.push(
      random() < 0.7
        ? { type: "lifecycle", phase: "end", usage: NO_USAGE }
        : { type: "lifecycle", phase: "error", error },
    );
    return bodies.map((body) => ({ runId, body }));
  });
}

function unfinishedStory(): Step[] {
  const bodies: EventBody[] = [
    { type: "lifecycle", phase: "start", input: user("u1", "What is my cat called?") },
    { type: "assistant", phase: "message", message: assistant("a1", "I look it up.") },
    { type: "assistant", phase: "delta", reasoning: "Let me " },
    { type: "assistant", phase: "delta", reasoning: "see." },
    { type: "assistant", phase: "delta", text: "It is " },
    { type: "assistant", phase: "delta", text: "Mochi" },
  ];
  return bodies.map((body) => ({ runId: "run_1", body }));
}

function read(from: Conversation, events: AgentEvent[]): Conversation {
  return events.reduce((now, next) => change(now, { type: "event", event: next }), from);
}

function event(seq: number, body: EventBody): AgentEvent {
  return { ...body, runId: "run_1", seq, ts: 0 };
}

function delta(seq: number, text: string): AgentEvent {
  return event(seq, { type: "assistant", phase: "delta", text });
}

function user(id: string, text: string) {
  return { id, at: 0, role: "user", text } as const;
}

function assistant(id: string, text: string) {
  const parts: AssistantPart[] = [{ type: "text", text }];
  return { id, at: 0, role: "assistant", parts, stop: "stop", usage: NO_USAGE, model: "offline/rules" } as const;
}

function result(callId: string) {
  return { id: `m_${callId}`, at: 0, role: "tool", callId, tool: "read", text: "done", isError: false } as const;
}

/** Numbers between 0 and 1 that are the same for the same seed (Lehmer's generator). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
