import { sharingAgents } from "../config/agents.ts";
import type { Config } from "../services/config-schema.ts";

/** The prompt's notes on a workspace besides its path: the agents that share it. */
export function workspaceNotes(config: Config, agentId: string): string[] {
  const others = sharingAgents(config, agentId);
  if (others.length === 0) return [];
  return [`Shared with other agents (${others.join(", ")}): they read and change the same files.`];
}
