import type { z } from "zod";
import { agentEntryOf, defaultAgentId, hasOwnHeartbeats } from "./agents.ts";
import { heartbeat } from "./heartbeat-schema.ts";
import { withOverrides } from "./overrides.ts";
import type { CoreConfig } from "./schema.ts";

/** How an agent beats, with the defaults applied. */
export type Heartbeat = z.output<typeof heartbeat>;

/** What an agent's own block stands over where there is none for all. */
const UNSAID = heartbeat.parse({});

/**
 * How an agent beats; undefined where it does not. Where any agent has a block of its own only those that have one
 * beat, each with what it says over what all share; else the default agent does, if there is a block for all. Without
 * any block nothing beats, nor with `every: "0m"`.
 */
export function heartbeatOf(config: Pick<CoreConfig, "agents">, agentId: string): Heartbeat | undefined {
  const { defaults } = config.agents;
  const own = agentEntryOf(config, agentId)?.heartbeat;
  const shared = defaults.heartbeat ?? UNSAID;
  if (hasOwnHeartbeats(config)) return own && beating(heartbeat.parse(withOverrides<Heartbeat>(shared, own)));
  return defaults.heartbeat && agentId === defaultAgentId(config) ? beating(shared) : undefined;
}

function beating(block: Heartbeat): Heartbeat | undefined {
  return /^0+[smhd]$/.test(block.every) ? undefined : block;
}
