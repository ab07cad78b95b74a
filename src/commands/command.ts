import type { CompactionOutcome } from "../agent/compact.ts";
import type { Target } from "../channels/channel.ts";
import type { CommandName } from "../config/command-names.ts";
import type { ModelLookup, NamedModel } from "../services/model-lookup.ts";
import type { Preferences } from "../session-store/preferences.ts";
import type { QueuePolicy } from "../session-store/queue.ts";
import type { Decision, RunInput } from "../session-store/run.ts";
import type { SessionSettings } from "../session-store/stored-shapes.ts";
import type { SubagentView } from "../session-store/subagent.ts";
import type { Totals } from "../session-store/totals.ts";
import type { HistoryLine } from "../tools/sessions-port.ts";
import type { ContextReport } from "../turn/preview/context-report.ts";
import type { SkillsView } from "../turn/skills/resolve-skill-command.ts";
import type { Review } from "../workspace/acceptance.ts";
import type { ActivationPort } from "./activation-port.ts";
import type { PairingPort } from "./pairing-port.ts";
import type { SessionStatus } from "./session-status.ts";

/** Something that an owner tells the session itself, not the agent. */
export type Command = ImmediateCommand | QueuedCommand | ResetCommand;

interface CommandHead {
  /** What comes after the slash. */
  readonly name: CommandName;
  /** What it does, in a few words. */
  readonly summary: string;
  /** How it is typed, with what may come after it. */
  readonly usage: string;
}

/** It acts when it is accepted, before the queue, also while a run is at work. */
export interface ImmediateCommand extends CommandHead {
  readonly kind: "immediate";
  /**
   * Does it and says what was done, as Markdown. Works synchronously, so that it is one commit with its record.
   * @param args what was typed after the name, trimmed
   */
  run(args: string, session: CommandPort): string;
}

/**
 * It waits for its turn and is a run of its own, because it needs the world outside the session. Without a model where
 * none is needed.
 */
export interface QueuedCommand extends CommandHead {
  readonly kind: "queued";
  /** Whether with these arguments it is no command but a message to the agent, which waits like any other. */
  isMessage?(args: string): boolean;
  /**
   * Does it and says what was done, as Markdown. After a crash it is done again: doing it twice has to be the same as
   * once. What it throws ends its run with an error.
   * @param signal aborts when the run is stopped
   */
  run(args: string, port: QueuedPort, signal: AbortSignal): Promise<string>;
}

/** It stops the run at work and begins the conversation anew, before whatever waits; its run is the first turn there. */
export interface ResetCommand extends CommandHead {
  readonly kind: "reset";
}

/** What commands may do to their session at once. */
export interface CommandPort {
  /** Stops every run that is not settled, and every sub-agent. Gives their numbers. */
  stopAll(): Stopped;
  subagents: SubagentsPort;
  /** Notes a person's word on the call with this id, or on every call that waits. Gives the tools concerned. */
  decide(approvalId: string | undefined, decision: Decision): string[];
  queuePolicy(): QueuePolicy;
  /** Changes how this session treats what comes while it is busy; an empty change goes back to the configuration. */
  setQueuePolicy(change: Partial<QueuePolicy>): void;
  preferences(): Preferences;
  /** Changes what this session has of its own; undefined goes back to the configuration. */
  set<Key extends keyof SessionSettings>(key: Key, value: SessionSettings[Key] | undefined): void;
  /** The model that a word names, once it is known that it can be asked. */
  lookUpModel(word: string): ModelLookup;
  /** The models that the configuration names. */
  namedModels(): NamedModel[];
  status(): SessionStatus;
  totals(): Totals;
  /** The skills as they were found last. */
  skills(): SkillsView;
  /** Who gives the command, and where. */
  asker(): { sender: RunInput["sender"]; target: Target | null };
}

/** How much was stopped. */
export interface Stopped {
  runs: number;
  subagents: number;
}

/** The sub-agents of a session. Who means none, or one with which that cannot be done, gets an IsopodError. */
export interface SubagentsPort {
  /** Those that were started last, the newest first. */
  list(): SubagentView[];
  /** One of them by its number in the list, its label or its key. */
  find(which: string): SubagentView;
  /** Stops one of them, or `all`. Gives those that were at work. */
  stop(which: string): SubagentView[];
  /** Gives one of them more to do; its result is announced where the command came from. */
  tell(which: string, text: string): SubagentView;
  now(): number;
}

/** What commands may do once it is their turn. */
export interface QueuedPort {
  /** What the next request to the model would be made of. */
  contextReport(): Promise<ContextReport>;
  /** The files that tell the agent who it is, against what its owner has accepted. */
  reviewFiles(): Promise<Review>;
  pairing: PairingPort;
  /** Undefined where the command was not given in a group. */
  activation: ActivationPort | undefined;
  /** The skills that the agent has here. */
  skills(): Promise<SkillsView>;
  /** What was said last in a sub-agent's session, oldest first. Rejects where none is meant, or it does not answer. */
  subagentLog(which: string): Promise<{ label: string; messages: HistoryLine[] }>;
  /** The budgets that this session spends from, a line for each cap. Rejects where one does not answer. */
  budgets(): Promise<string[]>;
  /** Has the older part of the conversation summarized; an empty focus is none. */
  compact(focus: string): Promise<CompactionOutcome>;
}
