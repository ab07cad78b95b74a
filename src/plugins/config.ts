import { z } from "zod";
import { type WebhookRules, webhooks } from "../config/automation-schema.ts";
import type { AnyPlugin } from "./plugin.ts";

/** The configuration's `hooks`: per plugin whether it is enabled, and its settings. */
export interface HooksConfig extends WebhookRules {
  internal: { enabled: boolean; entries: Record<string, PluginEntry> };
}

export interface PluginEntry {
  enabled: boolean;
  [setting: string]: unknown;
}

const enabled = z.boolean().default(true).describe("Whether it takes part.");

/** The schema of the configuration's `hooks`. An unknown plugin is an error that names it. */
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
