import type { AnyTool } from "../agent/tool.ts";
import type { AnyChannel } from "../channels/channel.ts";
import type { AnyHookOwner } from "../hooks/handlers.ts";
import { IsopodError } from "../lib/errors.ts";
import type { ProviderConfig } from "../models/config.ts";
import { TOOL_ORDER } from "../prompt/sections/tooling.ts";
import type { HooksConfig } from "./config.ts";
import type { AnyPlugin, PluginSections } from "./plugin.ts";

/** What the plugins that are switched on bring together, each list in their order. */
export interface Assembly {
  hooks: readonly AnyHookOwner[];
  tools: readonly AnyTool[];
  sections: Required<PluginSections>;
  channels: readonly AnyChannel[];
  providers: Readonly<Record<string, ProviderConfig>>;
}

/** The names of tools that are ours, also of those that are not there yet. */
const OUR_TOOLS: ReadonlySet<string> = new Set([...TOOL_ORDER, "update_plan"]);

/**
 * Puts together what the plugins bring that are switched on; one without an entry is.
 * @throws IsopodError `not_configured` where two of them have one name, or a tool has the name of another
 */
export function assemble(plugins: readonly AnyPlugin[], config: HooksConfig): Assembly {
  refuseRepeats(
    "plugin",
    plugins.map(({ name }) => name),
  );
  const on = plugins.filter((plugin) => isOn(plugin, config));
  const tools = on.flatMap((plugin) => plugin.tools ?? []);
  refuseRepeats("tool", [...OUR_TOOLS, ...tools.map(({ name }) => name)]);
  return {
    hooks: on.flatMap((plugin) => {
      const { name, hooks } = plugin;
      return hooks === undefined ? [] : [{ name, hooks, settings: settingsOf(plugin, config) }];
    }),
    tools,
    sections: {
      stable: on.flatMap(({ sections }) => sections?.stable ?? []),
      dynamic: on.flatMap(({ sections }) => sections?.dynamic ?? []),
    },
    channels: on.flatMap((plugin) => plugin.channels ?? []),
    providers: Object.assign({}, ...on.map((plugin) => plugin.providers)),
  };
}

/** Whether a plugin takes part. */
export function isOn({ name }: AnyPlugin, { internal }: HooksConfig): boolean {
  return internal.enabled && internal.entries[name]?.enabled !== false;
}

/** A plugin's own settings; the defaults where the configuration has no entry for it. */
function settingsOf({ name, settings }: AnyPlugin, { internal }: HooksConfig): unknown {
  const { enabled: _, ...own } = internal.entries[name] ?? settings?.parse({}) ?? {};
  return own;
}

function refuseRepeats(kind: "plugin" | "tool", names: readonly string[]): void {
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated === undefined) return;
  throw new IsopodError(
    "not_configured",
    `there are two ${kind}s '${repeated}'`,
    `Rename that of a plugin, and deploy.`,
  );
}
