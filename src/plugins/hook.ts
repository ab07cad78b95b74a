import type { Workspace } from "../workspace/workspace.ts";
import type { HookMap, HookName, SyncHookMap, SyncHookName } from "./hook-map.ts";

/** A handler of one event. Among equal priorities, plugins run in the order of their list. */
export interface Hook<Run> {
  /** Higher runs earlier; 0 by default. */
  readonly priority?: number;
  readonly run: Run;
}

/** Handles an event; answers to change something. */
export type Handler<Name extends HookName, Settings> = (
  event: HookMap[Name]["event"],
  context: HookContext<Settings>,
) => HookMap[Name]["answer"] | undefined | Promise<HookMap[Name]["answer"] | undefined>;

/** Handles an event synchronously. */
export type SyncHandler<Name extends SyncHookName, Settings> = (
  event: SyncHookMap[Name]["event"],
  context: HookContext<Settings>,
) => SyncHookMap[Name]["answer"] | undefined;

/** The hooks of one plugin by event. */
export type HookTable<Settings> = AsyncHookTable<Settings> & SyncHookTable<Settings>;

export type AsyncHookTable<Settings> = { readonly [Name in HookName]?: Hook<Handler<Name, Settings>> };
export type SyncHookTable<Settings> = { readonly [Name in SyncHookName]?: Hook<SyncHandler<Name, Settings>> };

/** A plugin's hooks with its settings. */
export interface HookOwner<Settings> {
  readonly name: string;
  readonly hooks: HookTable<Settings>;
  readonly settings: Settings;
}

/** Hooks with settings of any type, as lists hold them: a hook is only ever given its own settings. */
// biome-ignore lint/suspicious/noExplicitAny: `settings` was read by the plugin's own schema
export type AnyHookOwner = HookOwner<any>;

/** The session in which a hook runs, and what it may reach there. */
interface HookSession {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** The workspace's path as the agent sees it. */
  readonly workspaceDir: string;
  /** The current run; absent if none has begun. */
  readonly runId?: string;
  /** The user's IANA time zone; absent if none is configured. */
  readonly timezone?: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** The agent's files. Every verb throws a WorkspaceError. */
  readonly workspace: Pick<Workspace, "list" | "read" | "write">;
}

/** The scope in which an event's hooks run, the same for all of them. */
export interface HookScope extends HookSession {
  /** Adds a line to the audit trail: stored when it returns, or with the current commit. */
  audit(note: AuditNote & { by: string }): void;
}

/** What every hook is given beside its event. */
export interface HookContext<Settings = unknown> extends HookSession {
  /** The plugin's entry in `hooks.internal.entries`, parsed by its own schema. */
  readonly settings: Settings;
  /** Aborts at the hook's timeout. */
  readonly signal: AbortSignal;
  /** Adds a line to the audit trail: stored when it returns, or with the current commit. Never a content. */
  audit(note: AuditNote): void;
}

/** A line that a plugin adds to the audit trail. */
export interface AuditNote {
  kind: "command" | "message" | "tool";
  /** The actor, if not the plugin itself. */
  by?: string;
  /** The action or its object. */
  subject: string;
  detail?: string;
}
