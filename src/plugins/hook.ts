import type { Workspace } from "../workspace/workspace.ts";
import type { HookMap, HookName, SyncHookMap, SyncHookName } from "./hook-map.ts";

/** What a plugin does at one moment. Of equal priorities, the plugin that is listed first comes first. */
export interface Hook<Run> {
  /** The higher, the earlier; 0 where absent. */
  readonly priority?: number;
  readonly run: Run;
}

/** Does it, and answers where there is something to change. */
export type Handler<Name extends HookName, Settings> = (
  event: HookMap[Name]["event"],
  context: HookContext<Settings>,
) => HookMap[Name]["answer"] | undefined | Promise<HookMap[Name]["answer"] | undefined>;

/** Does it at once. */
export type SyncHandler<Name extends SyncHookName, Settings> = (
  event: SyncHookMap[Name]["event"],
  context: HookContext<Settings>,
) => SyncHookMap[Name]["answer"] | undefined;

/** The hooks of one plugin by their moments. */
export type HookTable<Settings> = AsyncHookTable<Settings> & SyncHookTable<Settings>;

export type AsyncHookTable<Settings> = { readonly [Name in HookName]?: Hook<Handler<Name, Settings>> };
export type SyncHookTable<Settings> = { readonly [Name in SyncHookName]?: Hook<SyncHandler<Name, Settings>> };

/** Whose hooks they are, and what its settings say. */
export interface HookOwner<Settings> {
  readonly name: string;
  readonly hooks: HookTable<Settings>;
  readonly settings: Settings;
}

/** An owner of any settings, as lists hold them: its hooks are only ever given its own. */
// biome-ignore lint/suspicious/noExplicitAny: `settings` was read by the plugin's own schema
export type AnyHookOwner = HookOwner<any>;

/** Where a hook runs. */
export interface HookScope {
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
export interface HookContext<Settings = unknown> extends Omit<HookScope, "audit"> {
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
