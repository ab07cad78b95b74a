import type { AgentEvent } from "../agent/events.ts";
import type { RunError } from "../agent/run-error.ts";
import type { History, HistoryMessage, Run } from "../cli/wire.ts";

/**
 * What a reader knows of a session: its transcript as far as it was read, and what is being said right now.
 *
 * However often the connection breaks, the reader applies each event at most once and in order, so `messages` is the
 * session's transcript from `messages[0]` on, and `draft` is the part of the next message that was heard so far.
 */
export interface Conversation {
  /** In the order of `seq`. */
  messages: readonly HistoryMessage[];
  /** `seq` of the last event that is in here. */
  cursor: number;
  /** Where older messages end; absent when the first one is here. */
  before?: number;
  /** What the model has said since its last message. */
  draft?: Draft;
  /** Latest word of each tool that runs, by call. */
  progress: { readonly [callId: string]: string };
  /** The tool calls that wait for a person's word, by call. */
  approvals: { readonly [callId: string]: Approval };
  /** How the runs stand that were seen to begin or end. */
  runs: { readonly [runId: string]: RunView };
}

/** A message in the making. */
export interface Draft {
  runId: string;
  parts: readonly DraftPart[];
}

/** Deltas of one kind that followed each other, put together. */
export interface DraftPart {
  type: "text" | "reasoning";
  text: string;
}

/** A question that only a person can answer. */
export interface Approval {
  approvalId: string;
  question: string;
}

export type RunView = { state: "active" } | { state: "done" } | { state: "failed"; error: RunError };

/** What changes a conversation. */
export type Change =
  /** The newest page of the transcript; what was known before is forgotten. */
  | { type: "opened"; page: History }
  /** The page before the oldest message. */
  | { type: "older"; page: History }
  | { type: "event"; event: AgentEvent }
  /** How a run stands, by the server's word. */
  | { type: "run"; run: Run };

/** A conversation of which nothing is known. */
export const EMPTY: Conversation = { messages: [], cursor: 0, progress: {}, approvals: {}, runs: {} };

/** The conversation after a change; the same object when nothing changed. */
export function change(conversation: Conversation, what: Change): Conversation {
  switch (what.type) {
    case "opened":
      // What is being said right now began after the last message: it is heard again from there.
      return { ...EMPTY, ...what.page, cursor: what.page.messages.at(-1)?.seq ?? what.page.cursor };
    case "older":
      return prepend(conversation, what.page);
    case "event":
      if (what.event.seq <= conversation.cursor) return conversation;
      return { ...applyEvent(conversation, what.event), cursor: what.event.seq };
    case "run":
      return withRun({ ...conversation, approvals: approvalsOf(what.run) }, what.run.runId, viewOf(what.run));
  }
}

/** The run that is at work, if any: the last one that began and has not ended. */
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
      return applySpeech(conversation, event);
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
      // A newer server may say more than this page knows.
      return conversation;
  }
}

type Speech = Extract<AgentEvent, { type: "assistant" }>;

function applySpeech(conversation: Conversation, event: Speech): Conversation {
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
    const { callId, approvalId, question } = event;
    return { ...conversation, approvals: { ...conversation.approvals, [callId]: { approvalId, question } } };
  }
  const left = Object.entries(conversation.approvals).filter(([, { approvalId }]) => approvalId !== event.approvalId);
  return { ...conversation, approvals: Object.fromEntries(left) };
}

function approvalsOf(run: Run): Conversation["approvals"] {
  return Object.fromEntries(
    (run.approvals ?? []).map(({ id, callId, question }) => [callId, { approvalId: id, question }]),
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

function withRun(conversation: Conversation, runId: string, run: RunView): Conversation {
  const { [runId]: _, ...others } = conversation.runs;
  return { ...conversation, runs: { ...others, [runId]: run } };
}

function viewOf(run: Run): RunView {
  if (run.status === "ok" || run.status === "joined") return { state: "done" };
  if (run.status === "queued" || run.status === "running" || run.status === "waiting_approval")
    return { state: "active" };
  return { state: "failed", error: run.error ?? { code: "internal", message: run.status } };
}
