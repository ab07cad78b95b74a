import type { CompactionOutcome } from "../agent/compact.ts";
import type { Target } from "../channels/channel.ts";
import type { CommandName } from "../config/command-names.ts";
import type { ModelLookup, NamedModel } from "../services/model-lookup.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import type { Decision } from "../session-store/run.ts";
import type { RunInput } from "../session-store/run-input.ts";
import type { Preferences } from "../session-store/session-settings.ts";
import type { Grant, SessionSettings } from "../session-store/stored-shapes.ts";
import type { SubagentView } from "../session-store/subagent.ts";
import type { Totals } from "../session-store/totals.ts";
import type { HistoryLine } from "../tools/sessions-port.ts";
import type { ContextReport } from "../turn/preview/context-report.ts";
import type { SkillsView } from "../turn/skills/resolve-skill-command.ts";
import type { Review } from "../workspace/acceptance.ts";
import type { ActivationPort, PairingPort } from "./channel-access-port.ts";
import type { McpPort } from "./mcp-port.ts";
import type { SchedulePort } from "./schedule-port.ts";
import type { SessionStatus } from "./session-status.ts";

/** A slash command: an instruction from an owner to the session, not to the agent. */
export type Command = ImmediateCommand | QueuedCommand | ResetCommand | RetryCommand;

interface CommandHead {
  /** What comes after the slash. */
  readonly name: CommandName;
  /** What it does, in a few words. */
  readonly summary: string;
  /** Its syntax, with all arguments. */
  readonly usage: string;
}

/** Runs when it is accepted, before the queue, even during a run. */
export interface ImmediateCommand extends CommandHead {
  readonly kind: "immediate";
  /**
   * Runs the command and returns its answer as Markdown. Synchronous, so that effect and record are one commit.
   * @param args the text after the name, trimmed
   */
  run(args: string, session: CommandPort): string;
}

/**
 * Waits for its turn in the queue and is a run of its own, because it needs something outside the session's database.
 */
export interface QueuedCommand extends CommandHead {
  readonly kind: "queued";
  /** Whether these arguments make it a message to the agent instead of a command. */
  isMessage?(args: string): boolean;
  /** What it does as soon as it is accepted, even during a run. Its run does it again, so that a crash loses nothing. */
  atOnce?(args: string, port: AtOncePort): void;
  /**
   * Runs the command and returns its answer as Markdown. It runs again after a crash, so it must be idempotent. An
   * exception ends its run with an error.
   * @param signal aborts when the run is stopped
   */
  run(args: string, port: QueuedPort, signal: AbortSignal): Promise<string>;
}

/** Stops the current run and starts a new conversation, ahead of waiting runs; its own run is the first turn. */
export interface ResetCommand extends CommandHead {
  readonly kind: "reset";
}

/** Waits for its turn, and is a turn of the agent that adds no message: it answers what is unanswered. */
export interface RetryCommand extends CommandHead {
  readonly kind: "retry";
}

/** What immediate commands may do to their session. */
export interface CommandPort {
  /** Stops every unsettled run, sub-agent and command in the background. Returns how many. */
  stopAll(): Stopped;
  subagents: SubagentsPort;
  /** Decides the waiting call with this id, or every waiting call. Returns the names of their tools. */
  decide(approvalId: string | undefined, decision: Decision): string[];
  /** What an owner has allowed for good in this session, oldest first. */
  grants(): readonly Grant[];
  /** Takes a grant back, by its id or the end of it; undefined if there is none. */
  revoke(id: string): Grant | undefined;
  /** Sends again what did not arrive, or may not have: in the conversation of the command, or on the page in all. */
  resend(): number;
  queuePolicy(): QueuePolicy;
  /** Changes this session's queue policy; an empty change restores the configuration. */
  setQueuePolicy(change: Partial<QueuePolicy>): void;
  preferences(): Preferences;
  /** Changes a setting of this session; undefined restores the configuration. */
  set<Key extends keyof SessionSettings>(key: Key, value: SessionSettings[Key] | undefined): void;
  /** The model that a word names, if it can be used. */
  lookUpModel(word: string): ModelLookup;
  /** The models that the configuration names. */
  namedModels(): NamedModel[];
  status(): SessionStatus;
  totals(): Totals;
  /** The skills of the latest scan. */
  skills(): SkillsView;
  /** The sender of the command and its conversation. */
  asker(): { sender: RunInput["sender"]; target: Target | null };
}

/** What queued commands may do before their turn. */
export interface AtOncePort {
  /** Stops the agent's heartbeat where it runs or waits in this session, and begins to switch it off. */
  stopHeartbeat(): void;
}

/** How much was stopped. */
export interface Stopped {
  runs: number;
  subagents: number;
  /** Commands in the background. */
  processes: number;
}

/** The sub-agents of a session. @throws IsopodError if none matches, or its state does not allow the call */
export interface SubagentsPort {
  /** The latest ones, newest first. */
  list(): SubagentView[];
  /** One of them by its number in the list, its label or its key. */
  find(which: string): SubagentView;
  /** Stops one of them, or `all`. Returns those that were running. */
  stop(which: string): SubagentView[];
  /** Sends a message to one of them; its result is announced where the command came from. */
  instruct(which: string, text: string): SubagentView;
  now(): number;
}

/** An owner's own conversation with the agent. */
export interface OwnerChat {
  channel: string;
  accountId: string;
  conversationId: string;
}

/** The conversations in which the owner of a session can go on. */
export interface OtherChatsPort {
  /** One for each channel besides the one where the command was typed. Rejects if D1 fails. */
  list(): Promise<OwnerChat[]>;
  /** Says there how far this conversation is. May be repeated. */
  write(chat: OwnerChat, signal: AbortSignal): Promise<void>;
}

/** What queued commands may do. */
export interface QueuedPort {
  /** The parts of the next request to the model. */
  contextReport(): Promise<ContextReport>;
  /** The workspace files of the prompt, compared with the versions that the owner accepted. */
  reviewFiles(): Promise<Review>;
  pairing: PairingPort;
  mcp(): Promise<McpPort>;
  /** Undefined outside of groups. */
  activation: ActivationPort | undefined;
  /** The skills of this session. */
  skills(): Promise<SkillsView>;
  /** The latest messages of a sub-agent's session, oldest first. Rejects if none matches or it does not answer. */
  subagentLog(which: string): Promise<{ label: string; messages: HistoryLine[] }>;
  /** The owner's conversations on other channels. */
  otherChats: OtherChatsPort;
  /** The agent's jobs and its heartbeat. */
  schedule: SchedulePort;
  /** The caps that apply to this session, one line each. Rejects if a budget does not answer. */
  budgets(): Promise<string[]>;
  /** Summarizes the older part of the conversation; an empty focus means no focus. */
  compact(focus: string): Promise<CompactionOutcome>;
}
