import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { contributionFor } from "../prompt/contributions.ts";
import type { ProviderContribution } from "../prompt/input.ts";
import type { NamedText } from "../prompt/system-prompt.ts";
import type { AnyPlugin, PluginContribution } from "./plugin.ts";

/** Prompt texts for a model, and those of them that plugins contributed, named `<plugin>/<section>`. */
export interface ModelContribution {
  provider: ProviderContribution;
  added: NamedText[];
}

/**
 * Merges the prompt texts for a model: our own for its family, then plugins' in their order. The last plugin that
 * replaces a section wins; prefixes and suffixes are concatenated. A plugin that throws contributes nothing.
 * @param ref `provider/model`
 */
export function contributionsFor(plugins: readonly AnyPlugin[], ref: string): ModelContribution {
  let provider = contributionFor(ref);
  const added: NamedText[] = [];
  for (const plugin of plugins) {
    const said = pluginContribution(plugin, ref);
    if (said === undefined) continue;
    provider = merged(provider, said, plugin.name);
    added.push(...namedTexts(said).map(([what, text]) => ({ name: `${plugin.name}/${what}`, text })));
  }
  return { provider, added };
}

function pluginContribution({ name, contribution }: AnyPlugin, ref: string): PluginContribution | undefined {
  try {
    return contribution?.(ref);
  } catch (error) {
    log("error", "plugin.contribution_failed", { plugin: name, model: ref, error: messageOf(error) });
    return undefined;
  }
}

function merged(before: ProviderContribution, said: PluginContribution, plugin: string): ProviderContribution {
  const stablePrefix = lines(before.stablePrefix, said.stablePrefix);
  const dynamicSuffix = lines(before.dynamicSuffix, said.dynamicSuffix);
  return {
    name: [before.name, plugin].filter((name) => name !== undefined).join(", "),
    replace: { ...before.replace, ...said.replace },
    ...(stablePrefix !== "" && { stablePrefix }),
    ...(dynamicSuffix !== "" && { dynamicSuffix }),
  };
}

function namedTexts({ stablePrefix, replace = {}, dynamicSuffix }: PluginContribution): [what: string, text: string][] {
  const texts: [section: string, text: string | undefined][] = [
    ["provider-prefix", stablePrefix],
    ["tool-call-style", replace.tool_call_style],
    ["execution-bias", replace.execution_bias],
    ["interaction-style", replace.interaction_style],
    ["provider-suffix", dynamicSuffix],
  ];
  return texts.flatMap(([what, text]) => (text === undefined ? [] : [[what, text]]));
}

function lines(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== "").join("\n\n");
}
