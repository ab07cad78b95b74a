import { channelsConfig } from "../../src/channels/index.ts";
import { configSchema } from "../../src/config/config-schema.ts";
import { modelsConfig } from "../../src/models/config.ts";
import { hooksConfig } from "../../src/plugins/config.ts";
import { PLUGINS } from "../../src/plugins/index.ts";

/** The schema as the Worker composes it. */
export const wholeSchema = configSchema(modelsConfig, channelsConfig(), hooksConfig(PLUGINS));
