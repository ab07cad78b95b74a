import type { AnyTool } from "../agent/tool.ts";
import type { AnyChannel } from "../channels/channel.ts";
import { listChannels } from "../channels/index.ts";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { ProviderConfig } from "../models/config.ts";
import type { AddedSections, Section } from "../prompt/section.ts";
import { TOOL_ORDER } from "../prompt/sections/tooling.ts";
import { isMcpTool } from "../security/tool-policy.ts";
import { pluginRoot } from "../skills/roots.ts";
import type { SkillRoot } from "../skills/skill.ts";
import type { HooksConfig } from "./config.ts";
import { contributionsFor, type ModelContribution } from "./contributions.ts";
import type { AnyHookOwner } from "./hook.ts";
import type { AnyPlugin } from "./plugin.ts";

/** The combined parts of the enabled plugins, each list in plugin order. */
export interface Assembly {
  hooks: readonly AnyHookOwner[];
  tools: readonly AnyTool[];
  /** Named `<plugin>/<section>`. A section that throws is left out. */
  sections: AddedSections;
  channels: readonly AnyChannel[];
  providers: Readonly<Record<string, ProviderConfig>>;
  /** One skill root per plugin. */
  skills: readonly SkillRoot[];
  /** Prompt texts for a model, `provider/model`. */
  contributionFor(model: string): ModelContribution;
}

/** Names of built-in tools, reserved ones included. */
const OUR_TOOLS: ReadonlySet<string> = new Set([...TOOL_ORDER, "update_plan", "find_tools"]);

/** Built-in channels, and the reserved ids of session delivery and of the API. */
const OUR_CHANNELS: readonly string[] = [...listChannels().map(({ id }) => id), "session", "api"];

/**
 * Combines the enabled plugins; one without a configuration entry is enabled.
 * @throws IsopodError `not_configured` for two plugins, tools or channels of one name, and for a tool named like a server's
 */
export function assemble(plugins: readonly AnyPlugin[], config: HooksConfig): Assembly {
  refuseRepeats(
    "plugin",
    plugins.map(({ name }) => name),
  );
  const on = plugins.filter((plugin) => isEnabled(plugin, config));
  const tools = on.flatMap((plugin) => plugin.tools ?? []);
  const channels = on.flatMap((plugin) => plugin.channels ?? []);
  refuseRepeats("tool", [...OUR_TOOLS, ...tools.map(({ name }) => name)]);
  refuseServerNames(tools.map(({ name }) => name));
  refuseRepeats("channel", [...OUR_CHANNELS, ...channels.map(({ id }) => id)]);
  return {
    hooks: on.flatMap((plugin) => {
      const { name, hooks } = plugin;
      return hooks === undefined ? [] : [{ name, hooks, settings: pluginSettings(plugin, config) }];
    }),
    tools,
    sections: {
      stable: on.flatMap(({ name, sections }) => (sections?.stable ?? []).map((section) => guarded(name, section))),
      dynamic: on.flatMap(({ name, sections }) => (sections?.dynamic ?? []).map((section) => guarded(name, section))),
    },
    channels,
    providers: Object.assign({}, ...on.map((plugin) => plugin.providers)),
    skills: on.flatMap(({ name, skills = [] }) => (skills.length === 0 ? [] : [pluginRoot(name, skills)])),
    contributionFor: (model) => contributionsFor(on, model),
  };
}

/** Whether a plugin is enabled. */
export function isEnabled({ name }: AnyPlugin, { internal }: HooksConfig): boolean {
  return internal.enabled && internal.entries[name]?.enabled !== false;
}

/** A plugin's settings; the defaults if the configuration has no entry. */
function pluginSettings({ name, settings }: AnyPlugin, { internal }: HooksConfig): unknown {
  const { enabled: _, ...own } = internal.entries[name] ?? settings?.parse({}) ?? {};
  return own;
}

function guarded<Input>(plugin: string, { name, modes, render }: Section<Input>): Section<Input> {
  return {
    name: `${plugin}/${name}`,
    modes,
    render(input) {
      try {
        return render(input);
      } catch (error) {
        log("error", "plugin.section_failed", { plugin, section: name, error: messageOf(error) });
        return undefined;
      }
    },
  };
}

/** Refuses tools that could have the name of an MCP server's. */
function refuseServerNames(names: readonly string[]): void {
  const found = names.find(isMcpTool);
  if (found === undefined) return;
  const hint = "Rename it so that it does not begin with mcp_, and deploy.";
  throw new IsopodError("not_configured", `the tool '${found}' of a plugin is named like one of an MCP server`, hint);
}

function refuseRepeats(kind: "plugin" | "tool" | "channel", names: readonly string[]): void {
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated === undefined) return;
  throw new IsopodError(
    "not_configured",
    `there are two ${kind}s '${repeated}'`,
    `Rename that of a plugin, and deploy.`,
  );
}
