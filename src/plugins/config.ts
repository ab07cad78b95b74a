import { z } from "zod";
import { type Webhooks, webhooks } from "../config/automation-schema.ts";
import type { AnyPlugin } from "./plugin.ts";

/** What the configuration's `hooks` says: per plugin whether it takes part, with its own settings beside. */
export interface HooksConfig extends Webhooks {
  internal: { enabled: boolean; entries: Record<string, PluginEntry> };
}

export interface PluginEntry {
  enabled: boolean;
  [setting: string]: unknown;
}

const enabled = z.boolean().default(true).describe("Whether it takes part.");

/** What the configuration's `hooks` may hold. The name of a plugin that is not there is an error that names it. */
export function hooksConfig(plugins: readonly AnyPlugin[]): z.ZodType<HooksConfig> {
  const entries = Object.fromEntries(plugins.map((plugin) => [plugin.name, entrySchema(plugin)]));
  return z
    .strictObject({
      ...webhooks,
      internal: z
        .strictObject({
          enabled: z.boolean().default(true).describe("Whether plugins may take part at all."),
          entries: z
            .strictObject(entries)
            .prefault({})
            .describe("Per plugin, by its name: whether it takes part, and its own settings."),
        })
        .prefault({})
        .describe("The plugins that this deployment brings."),
    })
    .prefault({})
    .describe("What may take part in the agents' work.");
}

function entrySchema({ settings, summary }: AnyPlugin) {
  return (settings ?? z.strictObject({})).extend({ enabled }).prefault({}).describe(summary);
}
