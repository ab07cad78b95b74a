import type { AgentEvent, History, HistoryMessage, Run } from "../client/wire.ts";

/**
 * A reader's view of a session: its transcript as far as it was read, and the current draft.
 *
 * Each event is applied at most once and in order, over any number of connections: `messages` is the session's
 * transcript from `messages[0]` on, and `draft` is the part of the next message that has streamed so far.
 */
export interface Conversation {
  /** In the order of `seq`. */
  messages: readonly HistoryMessage[];
  /** `seq` of the last event that was applied. */
  cursor: number;
  /** Where older messages end; absent when the first message was read. */
  before?: number | undefined;
  /** The text and reasoning since the model's last message. */
  draft?: Draft;
  /** The latest progress of each running tool, by call. */
  progress: { readonly [callId: string]: string };
  /** The pending approvals, by call. */
  approvals: { readonly [callId: string]: Approval };
  /** The states of the runs whose begin or end was read. */
  runs: { readonly [runId: string]: RunState };
}

/** The part of a message that has streamed so far. */
export interface Draft {
  runId: string;
  parts: readonly DraftPart[];
}

/** Consecutive deltas of one kind, concatenated. */
export interface DraftPart {
  type: "text" | "reasoning";
  text: string;
}

/** An approval that a person has to decide. */
export interface Approval {
  approvalId: string;
  question: string;
  /** Whether it can be allowed for the session. */
  canRemember: boolean;
}

export type RunState = { state: "active" } | { state: "done" } | { state: "failed"; error: NonNullable<Run["error"]> };

/** A change of a conversation. */
export type Change =
  /** The newest page of the transcript; it replaces everything. */
  | { type: "opened"; page: History }
  /** The page before the oldest message. */
  | { type: "older"; page: History }
  | { type: "event"; event: AgentEvent }
  /** The state of a run as the server has it. */
  | { type: "run"; run: Run };

/** A conversation before anything was read. */
export const EMPTY: Conversation = { messages: [], cursor: 0, progress: {}, approvals: {}, runs: {} };

/** The conversation after a change; the same object when nothing changed. */
export function change(conversation: Conversation, what: Change): Conversation {
  switch (what.type) {
    case "opened":
      // The current draft began after the last message: its deltas are read again from there.
      return { ...EMPTY, ...what.page, cursor: what.page.messages.at(-1)?.seq ?? what.page.cursor };
    case "older":
      return prepend(conversation, what.page);
    case "event":
      if (what.event.seq <= conversation.cursor) return conversation;
      return { ...applyEvent(conversation, what.event), cursor: what.event.seq };
    case "run":
      return withRun({ ...conversation, approvals: pendingApprovals(what.run) }, what.run.runId, runState(what.run));
  }
}

/** The active run, if any: the last one that began and has not ended. */
export function activeRun(conversation: Conversation): string | undefined {
  return Object.entries(conversation.runs).findLast(([, run]) => run.state === "active")?.[0];
}

function applyEvent(conversation: Conversation, event: AgentEvent): Conversation {
  switch (event.type) {
    case "lifecycle":
      if (event.phase === "start") {
        const begun = append(conversation, { ...event.input, seq: event.seq, runId: event.runId });
        return withRun(begun, event.runId, { state: "active" });
      }
      return withRun(
        withoutDraft({ ...conversation, progress: {}, approvals: {} }, event.runId),
        event.runId,
        event.phase === "end" ? { state: "done" } : { state: "failed", error: event.error },
      );
    case "assistant":
      return applyAssistant(conversation, event);
    case "tool":
      if (event.phase === "end") {
        const { [event.message.callId]: _, ...progress } = conversation.progress;
        return append({ ...conversation, progress }, { ...event.message, seq: event.seq, runId: event.runId });
      }
      return {
        ...conversation,
        progress: { ...conversation.progress, [event.callId]: event.phase === "update" ? event.text : "" },
      };
    case "queue":
      return applyQueue(conversation, event);
    case "approval":
      return applyApproval(conversation, event);
    default:
      // A newer server may send events that this page does not know.
      return conversation;
  }
}

type Speech = Extract<AgentEvent, { type: "assistant" }>;

function applyAssistant(conversation: Conversation, event: Speech): Conversation {
  switch (event.phase) {
    case "delta": {
      const said: DraftPart =
        "text" in event ? { type: "text", text: event.text } : { type: "reasoning", text: event.reasoning };
      const before = conversation.draft?.runId === event.runId ? conversation.draft.parts : [];
      return { ...conversation, draft: { runId: event.runId, parts: joined(before, said) } };
    }
    case "restart":
      return withoutDraft(conversation, event.runId);
    case "message":
      return append(withoutDraft(conversation, event.runId), { ...event.message, seq: event.seq, runId: event.runId });
    default:
      return conversation;
  }
}

function applyQueue(conversation: Conversation, event: Extract<AgentEvent, { type: "queue" }>): Conversation {
  switch (event.phase) {
    case "joining":
      return append(conversation, { ...event.input, seq: event.seq, runId: event.runId });
    case "joined":
      return withRun(conversation, event.runId, { state: "done" });
    case "dropped":
      return withRun(conversation, event.runId, {
        state: "failed",
        error: { code: "dropped", message: event.reason },
      });
    default:
      return conversation;
  }
}

function applyApproval(conversation: Conversation, event: Extract<AgentEvent, { type: "approval" }>): Conversation {
  if (event.phase === "requested") {
    const { callId, approvalId, question, grant } = event;
    const approval: Approval = { approvalId, question, canRemember: grant !== undefined };
    return { ...conversation, approvals: { ...conversation.approvals, [callId]: approval } };
  }
  const left = Object.entries(conversation.approvals).filter(([, { approvalId }]) => approvalId !== event.approvalId);
  return { ...conversation, approvals: Object.fromEntries(left) };
}

function pendingApprovals(run: Run): Conversation["approvals"] {
  return Object.fromEntries(
    (run.approvals ?? []).map(({ id, callId, question, grant }) => [
      callId,
      { approvalId: id, question, canRemember: grant !== undefined },
    ]),
  );
}

function joined(parts: readonly DraftPart[], said: DraftPart): DraftPart[] {
  const last = parts.at(-1);
  if (last?.type !== said.type) return [...parts, said];
  return [...parts.slice(0, -1), { type: last.type, text: last.text + said.text }];
}

function append(conversation: Conversation, message: HistoryMessage): Conversation {
  return { ...conversation, messages: [...conversation.messages, message] };
}

function prepend(conversation: Conversation, page: History): Conversation {
  const { before: _, ...rest } = conversation;
  const oldest = conversation.messages[0]?.seq ?? Number.POSITIVE_INFINITY;
  const older = page.messages.filter((message) => message.seq < oldest);
  return {
    ...rest,
    ...(page.before !== undefined && { before: page.before }),
    messages: [...older, ...conversation.messages],
  };
}

function withoutDraft(conversation: Conversation, runId: string): Conversation {
  if (conversation.draft?.runId !== runId) return conversation;
  const { draft: _, ...rest } = conversation;
  return rest;
}

function withRun(conversation: Conversation, runId: string, run: RunState): Conversation {
  const { [runId]: _, ...others } = conversation.runs;
  return { ...conversation, runs: { ...others, [runId]: run } };
}

function runState(run: Run): RunState {
  if (run.status === "ok" || run.status === "joined") return { state: "done" };
  if (run.status === "queued" || run.status === "running" || run.status === "waiting_approval")
    return { state: "active" };
  return { state: "failed", error: run.error ?? { code: "internal", message: run.status } };
}
