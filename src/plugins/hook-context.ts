import type { Workspace } from "../workspace/workspace.ts";

/** Where a hook runs. */
export interface HookPlace {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** The workspace as the agent calls it. */
  readonly workspaceDir: string;
  /** The run in which it happens; absent where none has begun. */
  readonly runId?: string;
  /** IANA zone of the user; absent where none is configured. */
  readonly timezone?: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** The agent's files. Every verb throws a WorkspaceError. */
  readonly workspace: Pick<Workspace, "list" | "read" | "write">;
  /** Adds a line to the audit trail: stored when it returns, or with the commit that is under way. */
  audit(note: AuditNote & { by: string }): void;
}

/** What every hook is told beside its event, and what it may reach. */
export interface HookContext<Settings = unknown> extends Omit<HookPlace, "audit"> {
  /** What the configuration says under `hooks.internal.entries.<name>`, as the plugin's own schema read it. */
  readonly settings: Settings;
  /** Aborts when the hook's time is up. */
  readonly signal: AbortSignal;
  /** Adds a line to the audit trail: stored when it returns, or with the commit that is under way. Never a content. */
  audit(note: AuditNote): void;
}

/** A line that a plugin adds to the audit trail. */
export interface AuditNote {
  kind: "command" | "message" | "tool";
  /** Who did it, where that is not the plugin itself. */
  by?: string;
  /** What was done, or to what. */
  subject: string;
  detail?: string;
}
