import type { LaneName } from "../config/origins.ts";
import type { Config } from "./config-schema.ts";

/** The maximum of concurrent runs in a lane; 0 means unlimited. */
export function laneCap(name: LaneName, config: Config): number {
  const { maxConcurrent } = config.agents.defaults;
  const own = typeof maxConcurrent === "number" ? (name === "main" ? maxConcurrent : undefined) : maxConcurrent?.[name];
  return own ?? (name === "cron" ? config.cron.maxConcurrentRuns : 0);
}
