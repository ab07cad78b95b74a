import type { z } from "zod";
import { channelsConfig } from "../channels/index.ts";
import { configSchema } from "../config/config-schema.ts";
import { modelsConfig } from "../models/config.ts";
import { hooksConfig } from "../plugins/config.ts";
import { PLUGINS } from "../plugins/index.ts";

const PLUGIN_CHANNELS = PLUGINS.flatMap(({ channels }) => channels ?? []);

/** The schema of the whole configuration, including models, channels and plugins. */
export const wholeSchema = configSchema(modelsConfig, channelsConfig(PLUGIN_CHANNELS), hooksConfig(PLUGINS));

/** The whole configuration, with its defaults applied. */
export type Config = z.output<typeof wholeSchema>;
