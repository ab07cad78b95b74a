import type { z } from "zod";
import type { AnyTool } from "../agent/tool.ts";
import type { AnyChannel } from "../channels/channel.ts";
import type { ProviderConfig } from "../models/config.ts";
import type { ProviderContribution } from "../prompt/input.ts";
import type { AddedSections } from "../prompt/section.ts";
import type { SkillTexts } from "../skills/roots.ts";
import type { HookTable } from "./hook.ts";

/**
 * A plugin: one object, compiled in and listed in `plugins/index.ts`. It keeps no state in memory, which outlives no
 * deploy or eviction: lasting state goes into the workspace.
 *
 * A plugin is trusted like our own code. Its changes of a prompt, a model, a call or a message are written to the audit
 * trail.
 */
export interface Plugin<Settings = unknown> {
  /** In kebab case; unique, and the key of its entry in `hooks.internal.entries`. */
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  /**
   * The schema of its configuration entry beside `enabled`, each field with a default; absent if it has no settings.
   */
  readonly settings?: z.ZodObject<z.ZodRawShape> & z.ZodType<Settings>;
  readonly hooks?: HookTable<Settings>;
  /**
   * Tools of owners' turns, after the built-in ones. A name that is taken is refused when the configuration is read.
   */
  readonly tools?: readonly AnyTool[];
  readonly sections?: Partial<AddedSections>;
  /** Channels with ids of their own. */
  readonly channels?: readonly AnyChannel[];
  /** Model providers by name; the configuration may override them, as it may built-in ones. */
  readonly providers?: Readonly<Record<string, ProviderConfig>>;
  /**
   * Prompt texts for some models, in place of built-in sections and around them; undefined for other models.
   * @param model `provider/model`
   */
  readonly contribution?: (model: string) => PluginContribution | undefined;
  /** Skills, each as the text of its SKILL.md or as texts by path. Skills of any other source take precedence. */
  readonly skills?: readonly SkillTexts[];
}

/** Prompt texts of a plugin for some models. They depend on the model alone, so that prompts stay cached. */
export type PluginContribution = Pick<ProviderContribution, "stablePrefix" | "replace" | "dynamicSuffix">;

/** A plugin with settings of any type, as lists hold them. */
// biome-ignore lint/suspicious/noExplicitAny: settings are read by the plugin's own schema before a hook sees them
export type AnyPlugin = Plugin<any>;

/** Defines a plugin; the type of its settings is inferred from their schema. */
export function definePlugin<Settings>(plugin: Plugin<Settings>): Plugin<Settings> {
  return plugin;
}
