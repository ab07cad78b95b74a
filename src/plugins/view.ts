import { pluginSkillName } from "../skills/roots.ts";
import { isEnabled } from "./assembly.ts";
import type { HooksConfig } from "./config.ts";
import type { AnyPlugin } from "./plugin.ts";

/** What a plugin contributes, by name, for people. */
export interface PluginView {
  name: string;
  summary: string;
  enabled: boolean;
  hooks: { event: string; priority: number }[];
  tools: string[];
  sections: { name: string; layer: "stable" | "dynamic"; modes: string[] }[];
  channels: string[];
  providers: string[];
  /** Skill names from their front matter. */
  skills: string[];
}

/** Describes a plugin under a configuration. */
export function pluginView(plugin: AnyPlugin, config: HooksConfig): PluginView {
  const { name, summary, hooks = {}, tools = [], sections = {}, channels = [], providers = {}, skills = [] } = plugin;
  const inLayer = (layer: "stable" | "dynamic") =>
    (sections[layer] ?? []).map((section) => ({ name: section.name, layer, modes: [...section.modes] }));
  return {
    name,
    summary,
    enabled: isEnabled(plugin, config),
    hooks: Object.entries(hooks).map(([event, { priority = 0 }]) => ({ event, priority })),
    tools: tools.map((tool) => tool.name),
    sections: [...inLayer("stable"), ...inLayer("dynamic")],
    channels: channels.map((channel) => channel.id),
    providers: Object.keys(providers),
    skills: skills.map((skill) => pluginSkillName(skill) ?? "(without a name)"),
  };
}
