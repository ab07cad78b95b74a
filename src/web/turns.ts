import { isSilence, mayBeSilence } from "../client/silence.ts";
import type { AssistantMessage, HistoryMessage, ToolCallPart, ToolMessage, UserMessage } from "../client/wire.ts";
import type { Approval, Conversation, DraftPart, RunState } from "./conversation.ts";

/** Consecutive messages of one run. */
export interface Turn {
  /** Stays the same while the turn grows. */
  key: string;
  runId: string;
  messages: readonly HistoryMessage[];
  draft: readonly DraftPart[];
  /** Undefined for an old run, whose end was not read. */
  run: RunState | undefined;
}

/** Progress and approvals of tool calls without a result. */
export type Live = Pick<Conversation, "progress" | "approvals">;

/** One block of a turn, in reading order. */
export type Block =
  | { type: "user"; key: string; message: UserMessage }
  | { type: "text"; key: string; text: string }
  | { type: "reasoning"; key: string; text: string; live: boolean }
  | { type: "tool"; key: string; call: ToolCall };

/** A tool call with its state and result. */
export interface ToolCall {
  callId: string;
  tool: string;
  args: ToolCallPart["args"] | string;
  state: "running" | "asking" | "ok" | "failed" | "unknown";
  /** The result, or the latest progress of a running tool. */
  text: string;
  /** The approval that it waits for. */
  approval: Approval | undefined;
}

/** Why a turn did not end normally. */
export type TurnProblem =
  | { type: "aborted" }
  | { type: "length" }
  | { type: "refusal" }
  | { type: "error"; message: string };

/** Groups consecutive messages of a run, in the order of the transcript. */
export function groupTurns(conversation: Conversation): Turn[] {
  const turns: Turn[] = [];
  let messages: HistoryMessage[] = [];
  for (const message of conversation.messages) {
    const last = turns.at(-1);
    if (last?.runId === message.runId) {
      messages.push(message);
    } else {
      messages = [message];
      const { runId, id } = message;
      turns.push({ key: `${runId} ${id}`, runId, messages, draft: [], run: conversation.runs[runId] });
    }
  }
  const { draft } = conversation;
  if (!draft) return turns;
  const last = turns.at(-1);
  if (last?.runId === draft.runId) last.draft = draft.parts;
  else
    turns.push({
      key: draft.runId,
      runId: draft.runId,
      messages: [],
      draft: draft.parts,
      run: conversation.runs[draft.runId],
    });
  return turns;
}

/** The blocks of a turn. */
export function turnBlocks(turn: Turn, { progress, approvals }: Live): Block[] {
  const results = new Map<string, ToolMessage>();
  for (const message of turn.messages) if (message.role === "tool") results.set(message.callId, message);
  const blocks = turn.messages.flatMap((message): Block[] => {
    if (message.role === "user") return [{ type: "user", key: message.id, message }];
    if (message.role === "tool") return [];
    const said = message.parts.flatMap((part, index): Block[] => {
      const key = `${message.id} ${index}`;
      if (part.type === "tool-call") {
        const { callId } = part;
        const call = toolCall(
          part,
          results.get(callId),
          turn.run?.state === "active",
          progress[callId],
          approvals[callId],
        );
        return [{ type: "tool", key, call }];
      }
      return spoken(part, key, false);
    });
    return [...said, ...filesIn(message)];
  });
  return [...blocks, ...turn.draft.flatMap((part, index) => spoken(part, `draft ${index}`, true))];
}

/** The files that a reply asks to send, shown by their paths: the page has no channel to send them through. */
function filesIn({ id, directives }: AssistantMessage): Block[] {
  const paths = directives?.files ?? [];
  return paths.map((path, index) => ({ type: "text", key: `${id} file ${index}`, text: `📎 \`${path}\`` }));
}

/** Why the last answer of a turn is incomplete. */
export function turnProblem(turn: Turn): TurnProblem | undefined {
  if (turn.run?.state === "failed") {
    return turn.run.error.code === "aborted" ? { type: "aborted" } : { type: "error", message: turn.run.error.message };
  }
  const last = turn.messages.findLast((message) => message.role === "assistant");
  if (last === undefined || turn.run?.state === "active") return undefined;
  if (last.stop === "aborted" || last.stop === "length" || last.stop === "refusal") return { type: last.stop };
  return last.stop === "error" ? { type: "error", message: last.error?.message ?? "" } : undefined;
}

function spoken(part: { type: "text" | "reasoning"; text: string }, key: string, live: boolean): Block[] {
  const text = part.text.trim();
  if (text === "") return [];
  if (part.type === "text" && (live ? mayBeSilence(text) : isSilence(text))) return [];
  return part.type === "text" ? [{ type: "text", key, text: part.text }] : [{ type: "reasoning", key, text, live }];
}

function toolCall(
  part: ToolCallPart,
  result: ToolMessage | undefined,
  active: boolean,
  word: string | undefined,
  approval: Approval | undefined,
): ToolCall {
  const head = { callId: part.callId, tool: part.tool, args: part.invalidArgs ?? part.args, approval: undefined };
  if (result) return { ...head, state: result.isError ? "failed" : "ok", text: result.text };
  if (approval) return { ...head, state: "asking", text: "", approval };
  return { ...head, state: active ? "running" : "unknown", text: word ?? "" };
}

/** A step of the plan that a call of `update_plan` shows. */
export interface PlanStep {
  step: string;
  status: "pending" | "in_progress" | "completed";
}

/** The plan in the arguments of an `update_plan` call; undefined for other calls and other arguments. */
export function planSteps({ tool, args }: Pick<ToolCall, "tool" | "args">): PlanStep[] | undefined {
  if (tool !== "update_plan" || typeof args === "string" || !Array.isArray(args.plan)) return undefined;
  const steps: unknown[] = args.plan;
  return steps.every(isStep) ? steps : undefined;
}

function isStep(value: unknown): value is PlanStep {
  if (typeof value !== "object" || value === null || !("step" in value) || !("status" in value)) return false;
  const isKnown = value.status === "pending" || value.status === "in_progress" || value.status === "completed";
  return typeof value.step === "string" && isKnown;
}
