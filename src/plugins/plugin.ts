import type { z } from "zod";
import type { AnyTool } from "../agent/tool.ts";
import type { AnyChannel } from "../channels/channel.ts";
import type { ProviderConfig } from "../models/config.ts";
import type { ProviderContribution } from "../prompt/input.ts";
import type { AddedSections } from "../prompt/section.ts";
import type { SkillTexts } from "../skills/plugin-root.ts";
import type { HookTable } from "./hook.ts";

/**
 * Something that takes part in the agents' work: one object, compiled in and written down in `plugins/index.ts`. It keeps
 * no state of its own, because nothing in memory outlives a deploy or an eviction: what is to last goes into the workspace.
 *
 * What it does is trusted as our own code is. What it changes of a prompt, a model, a call or a message is written to the
 * audit trail.
 */
export interface Plugin<Settings = unknown> {
  /** In kebab case; unique, and the key of its entry in `hooks.internal.entries`. */
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  /** What its entry may hold beside `enabled`, each with a default; absent where nothing can be set. */
  readonly settings?: z.ZodObject<z.ZodRawShape> & z.ZodType<Settings>;
  readonly hooks?: HookTable<Settings>;
  /** Tools of an owner's turn, after the built-in ones. A name that is taken is refused when the configuration is read. */
  readonly tools?: readonly AnyTool[];
  readonly sections?: Partial<AddedSections>;
  /** Channels under ids of their own. */
  readonly channels?: readonly AnyChannel[];
  /** Model providers by name; the configuration may replace one, as it may a built-in one. */
  readonly providers?: Readonly<Record<string, ProviderConfig>>;
  /**
   * What the prompt says for some models in the plugin's words, in place of ours and around it; undefined for others.
   * @param model `provider/model`
   */
  readonly contribution?: (model: string) => PluginContribution | undefined;
  /** Skills, each as the text of its SKILL.md, or as the texts of its files by path. Every other source is stronger. */
  readonly skills?: readonly SkillTexts[];
}

/** What a plugin says for some models in its own words. It depends on the model alone, so that prompts stay cached. */
export type PluginContribution = Pick<ProviderContribution, "stablePrefix" | "replace" | "dynamicSuffix">;

/** A plugin of any settings, as lists hold them. */
// biome-ignore lint/suspicious/noExplicitAny: settings are read by the plugin's own schema before a hook sees them
export type AnyPlugin = Plugin<any>;

/** Writes a plugin down with the type of its settings inferred from their schema. */
export function definePlugin<Settings>(plugin: Plugin<Settings>): Plugin<Settings> {
  return plugin;
}
