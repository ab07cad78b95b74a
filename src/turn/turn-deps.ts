import type { CallBudget } from "../agent/call-budget.ts";
import type { AnyTool } from "../agent/tool.ts";
import type { ToolMessage } from "../models/message.ts";
import type { SpokenMessage } from "../plugins/hook-map.ts";
import type { PromptHooks, SessionHooks } from "../plugins/session-hooks.ts";
import type { Services } from "../services/services.ts";
import type { TurnSkills } from "../services/skills/turn-skills.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { EndedConversation } from "../session-store/run.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { OutboxPort } from "../tools/message.ts";
import type { ReadEtags } from "../tools/read-etags.ts";
import type { StatusPort } from "../tools/session-status.ts";
import type { SessionsPort } from "../tools/sessions-port.ts";
import type { BootstrapCache } from "../workspace/bootstrap.ts";
import type { WorkspaceEntry } from "../workspace/workspace.ts";
import type { RunOutput } from "./output/run-output.ts";
import type { PromptKeeper } from "./preview/prompt-keeper.ts";
import type { SkillsSource } from "./skills/session-skills.ts";

/** What a system prompt is made from: for a turn, or to report on it. */
export type PromptDeps = Omit<
  TurnDeps,
  "log" | "output" | "files" | "prompts" | "resultAt" | "spokenIn" | "noteWarned" | "slot" | "skills" | "budget"
>;

/** What the workspace files of a prompt are gathered from. */
export interface FilesDeps extends Pick<PromptDeps, "services" | "bootstrapCache" | "readEtags" | "listing"> {
  hooks: PromptHooks;
}

/** What tools work on, besides the workspace. */
export interface ToolsDeps
  extends Pick<PromptDeps, "services" | "readEtags" | "sessions" | "status" | "outbox" | "extraTools"> {
  skills: TurnSkills;
}

/** What a turn is given besides its run. Its two memories of files outlive it: they make the next turn a warm one. */
export interface TurnDeps {
  owner: SessionRow;
  services: Services;
  log: EventLog;
  hooks: SessionHooks;
  /** The way out for messages of its own, where there is one. */
  outbox: OutboxPort | undefined;
  /** What the run says before its end. */
  output: RunOutput;
  /** Where large results go. */
  files: R2Bucket;
  /** Keeps what the model is sent besides the conversation. */
  prompts: Pick<PromptKeeper, "keep">;
  /** The result in the transcript at a number. */
  resultAt(seq: number): ToolMessage | undefined;
  /** What was said last in a conversation that is over. */
  spokenIn(ended: EndedConversation, limit: number): SpokenMessage[];
  bootstrapCache: BootstrapCache;
  readEtags: ReadEtags;
  /** Other sessions, as far as the run may reach them. */
  sessions: SessionsPort | undefined;
  /** The session as its tools may look at it. */
  status: StatusPort;
  /** Tools besides the built-in ones. */
  extraTools: readonly AnyTool[];
  /** The workspace's root, where it was asked for before the run was stored. */
  listing: Promise<WorkspaceEntry[] | undefined>;
  /** Notes, for good, that the model was told of which workspace files are cut. */
  noteWarned(paths: readonly string[]): void;
  /** The right to work, once the lane gives it. */
  slot: Promise<unknown>;
  /** The session's skills. */
  skills: SkillsSource;
  /** What may be spent; undefined where nothing is capped. */
  budget: CallBudget | undefined;
}
