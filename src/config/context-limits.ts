import type { z } from "zod";
import { agentEntryOf } from "./agents.ts";
import type { contextLimits } from "./context-schema.ts";
import { withOverrides } from "./overrides.ts";
import type { CoreConfig } from "./schema.ts";

/** How much is read at once while an agent works. */
export type ContextLimits = z.output<typeof contextLimits>;

/** The limits of one agent: its own over those that all share. */
export function contextLimitsOf(config: Pick<CoreConfig, "agents">, id: string): ContextLimits {
  return withOverrides<ContextLimits>(config.agents.defaults.contextLimits, agentEntryOf(config, id)?.contextLimits);
}
