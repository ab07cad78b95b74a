import type { CallBudget } from "../agent/loop-deps.ts";
import type { AnyTool } from "../agent/tool.ts";
import type { ToolMessage } from "../models/message.ts";
import type { SpokenMessage } from "../plugins/hook-map.ts";
import type { PromptHooks, SessionHooks } from "../plugins/session-hooks.ts";
import type { AuditLine } from "../security/audit-entry.ts";
import type { Suspicion } from "../security/from-outside.ts";
import type { TurnSkills } from "../services/skills/turn-skills.ts";
import type { EventLog } from "../session-store/event-log.ts";
import type { EndedConversation } from "../session-store/run.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { ReadEtags } from "../tools/read-etags.ts";
import type { ServerResources } from "../tools/server-resources.ts";
import type { BootstrapCache } from "../workspace/bootstrap.ts";
import type { Workspace, WorkspaceEntry } from "../workspace/workspace.ts";
import type { TurnGate } from "./gate.ts";
import type { RunOutput } from "./output/run-output.ts";
import type { PromptKeeper } from "./preview/prompt-keeper.ts";
import type { SkillsSource } from "./skills/session-skills.ts";
import type { TurnPorts } from "./turn-ports.ts";

/** Dependencies of gathering the prompt's workspace files. The cache and the etags outlive the turn. */
export interface FilesDeps {
  hooks: PromptHooks;
  bootstrapCache: BootstrapCache;
  readEtags: ReadEtags;
  /** The root of the workspace, if it was listed before the run was stored. */
  listing: Promise<WorkspaceEntry[] | undefined>;
}

/** Dependencies of a turn's tools, besides its context and the workspace. */
export interface ToolsDeps {
  ports: TurnPorts;
  readEtags: ReadEtags;
  skills: TurnSkills;
  /** Tools besides the built-in ones. */
  extraTools: readonly AnyTool[];
  /** The resources of MCP servers, if the turn has any. */
  servers: ServerResources | undefined;
  /** Notes words from outside that look like a prompt injection. */
  suspect(suspicion: Suspicion): void;
  /** What decides which tools there are, and what commands may reach. */
  gate: TurnGate;
  /** The run's budget; undefined if nothing is capped. */
  budget: CallBudget | undefined;
  /**
   * The workspace of a command, which may go on when its call has ended.
   * @param approved whether an owner has allowed the call
   */
  workspaceFor(approved: boolean): Workspace;
}

/** The MCP servers of a turn. */
export interface TurnMcp {
  /** The tools that the turn may have of them, and what to tell its agent of those that it lacks. */
  open(deps: Pick<ToolsDeps, "gate" | "suspect">, workspace: Pick<Workspace, "write">): Promise<OpenMcp>;
  /** Closes the connections. */
  close(): void;
}

export interface OpenMcp {
  tools: readonly AnyTool[];
  /** Absent if none of the servers has any. */
  resources?: ServerResources;
  notes: readonly string[];
}

/** Dependencies of a live turn, besides its run and its context. */
export interface TurnDeps extends FilesDeps, Omit<ToolsDeps, "skills" | "gate" | "servers" | "workspaceFor"> {
  /** Writes lines of the audit trail. */
  audit(lines: readonly AuditLine[]): void;
  session: SessionRow;
  log: EventLog;
  hooks: SessionHooks;
  /** What the run sends before its end. */
  output: RunOutput;
  /** The bucket for large tool results. */
  files: R2Bucket;
  /** Stores the prompt that the model is sent. */
  prompts: Pick<PromptKeeper, "keep">;
  skills: SkillsSource;
  /** The tool result with this number in the transcript. */
  resultAt(seq: number): ToolMessage | undefined;
  /** The last messages of a conversation that has ended, oldest first. */
  spokenIn(ended: EndedConversation, limit: number): SpokenMessage[];
  /** Stores which truncated workspace files the model was warned about. */
  noteWarned(paths: readonly string[]): void;
  /** Resolves when the lane grants its slot. */
  slot: Promise<unknown>;
}
