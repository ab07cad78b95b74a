import type { JsonObject } from "../lib/json.ts";
import type { AssistantMessage, Directives, Message, ToolCallPart, ToolMessage, Usage } from "../models/message.ts";
import type { Model, ModelReply, ModelRequest, SystemPrompt, ToolSchema } from "../models/model.ts";
import type { ContextRules } from "./context-rules.ts";
import type { CompactionReason, EventBody } from "./events.ts";
import type { Failover } from "./failover.ts";
import type { Journal } from "./journal.ts";
import type { AnyTool, GrantScope, KeptOutput, ToolOutput } from "./tool.ts";

/** What one run of the loop needs. */
export interface LoopDeps {
  /** The model to ask; with a failover, the one that the prompt was made for. */
  model: Model;
  /** The models that may take over; if absent, a failed call is not repeated. */
  failover?: Failover | undefined;
  /** The system prompt for a model that takes over; that of the request if absent. */
  systemFor?: ((model: Model) => Promise<SystemPrompt>) | undefined;
  request: Omit<ModelRequest, "messages" | "tools">;
  tools: readonly AnyTool[];
  /** Those of `tools` whose schemas a request with these messages carries; all if absent. The others may be called too. */
  offers?: ((messages: readonly Message[]) => readonly AnyTool[]) | undefined;
  /** The tools that the client runs which asked: when only calls of them are open, the loop ends. */
  clientTools?: readonly ToolSchema[] | undefined;
  /**
   * Checks the final reply of a run whose client asked for a format: the reply to end with, or undefined after it has
   * stored what is wrong and the model is to answer again.
   */
  review?: ((message: AssistantMessage) => AssistantMessage | undefined) | undefined;
  journal: Journal;
  /** The longest silence of a model, in milliseconds; 0 means no limit. */
  modelIdleMs: number;
  /** The spending limits; absent if there are none. */
  budget?: CallBudget | undefined;
  /** When repeated calls are noticed. */
  repetition: RepetitionLimits;
  /** The plugins' hooks; absent if there are none. */
  hooks?: LoopHooks | undefined;
  /** Decides whether a call may be launched with these arguments; see `Gate`. Never rejects. */
  gate(call: GatedCall): Promise<Gate>;
  /** How the conversation is kept within the model's window. */
  context: ContextRules;
  /** Bounds a tool's output before it is stored. Never rejects. */
  keep(output: ToolOutput): Promise<KeptOutput>;
  /** Adds to the journal what the system appends to people's messages since the last reply. Idempotent. */
  complete?(): Promise<void>;
  /** Whether the run has to make room before its next step; absent if it never has. */
  mustYield?(): boolean;
  emit(event: EventBody): void;
  /** Called with the directives so far before a text delta is emitted. */
  onDirectives?(directives: Directives): void;
  newMessageId(): string;
  now(): number;
}

/** What one model call needs; `AnswerDeps` is the same with the models that may take over. */
export type AskDeps = Pick<
  LoopDeps,
  | "model"
  | "request"
  | "tools"
  | "offers"
  | "clientTools"
  | "modelIdleMs"
  | "budget"
  | "emit"
  | "onDirectives"
  | "newMessageId"
  | "now"
>;

export type AnswerDeps = AskDeps & Pick<LoopDeps, "failover" | "systemFor">;

/** A call before it is launched, its arguments checked. */
export interface GatedCall {
  callId: string;
  tool: AnyTool;
  args: unknown;
}

/** Whether a call may be launched: it may (as an approved one, if an owner has allowed it), it needs a word, or not. */
export type Gate =
  | { kind: "go"; approved: boolean }
  | { kind: "ask"; question: string; grant?: GrantScope }
  | { kind: "refuse"; reason: string };

/** The plugins' hooks of a loop. They reject only if the session cannot store anything. */
export interface LoopHooks {
  /** Decides whether and with which arguments a call is launched. */
  beforeCall(call: ToolCallPart): Promise<Vetted>;
  /** Changes the output of a call before it is bounded and stored. */
  returned(call: ToolCallPart, output: ReturnedOutput): Promise<ReturnedOutput>;
  /** Called after the result of a call is stored; the loop does not wait for it. */
  afterCall(call: ToolCallPart, result: ToolMessage): void;
  /** Called before a compaction. */
  beforeCompaction(event: { reason: CompactionReason; tokensBefore: number }): Promise<void>;
  /** Called after a compaction; the loop does not wait for it. */
  afterCompaction(event: { reason: CompactionReason; tokensBefore: number; tokensAfter: number }): void;
}

/** The arguments to launch a call with, or why it is blocked. */
export type Vetted = { args: JsonObject } | { blocked: string };

export interface ReturnedOutput extends ToolOutput {
  isError: boolean;
}

/** The spending limits of model calls. */
export interface CallBudget {
  /**
   * Reserves the likely cost of a call, so that concurrent calls cannot spend it too.
   * @returns a function that takes the reply and replaces the reservation with the real cost
   * @throws FatalRunError `budget` if a limit leaves too little, or IsopodError `not_configured` if money is limited
   * and the model has no price; then neither this call nor another may be made
   */
  reserve(model: Model, request: ModelRequest): Promise<(reply: ModelReply) => void>;
  /**
   * Reserves the likely cost of a call that is not one of a language model, such as a picture.
   * @param ref `provider/model`
   * @param expected without a cost if no price is known
   * @returns a function that replaces the reservation with the real cost
   * @throws as `reserve`
   */
  claim(ref: string, expected: Usage): Promise<(spent: Usage) => void>;
}

/** After how many equal calls with equal results the model gets a note, and the run is stopped. */
export interface RepetitionLimits {
  /** Whether repetition is detected at all. */
  enabled: boolean;
  warnAfter: number;
  stopAfter: number;
}
