import type { HookContext } from "./hook-context.ts";
import type { HookMap, HookName, SyncHookMap, SyncHookName } from "./hooks.ts";

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
