import { IsopodError } from "../lib/errors.ts";
import type { CoreConfig } from "./schema.ts";

/** One agent with the defaults applied. */
export interface Agent {
  id: string;
  name: string | undefined;
  /** `provider/model`, or undefined where the deployment's own default applies. */
  model: string | undefined;
  /** Where its workspace is to be, as it is configured; undefined means its own place. */
  workspace: string | undefined;
  /** What its sub-agents may be. */
  subagents: CoreConfig["agents"]["defaults"]["subagents"];
  defaults: CoreConfig["agents"]["defaults"];
}

/** The ids of all agents, the default one first. */
export function agentIds(config: CoreConfig): string[] {
  return [...new Set([defaultAgentId(config), ...config.agents.list.map((agent) => agent.id)])];
}

/** The agent that answers where none is named: the entry marked so, else the first, else `main`. */
export function defaultAgentId(config: CoreConfig): string {
  const list = config.agents.list;
  return (list.find((entry) => entry.default) ?? list[0])?.id ?? "main";
}

/**
 * An agent by id.
 * @throws IsopodError `not_found` where the configuration has no such agent
 */
export function agentOf(config: CoreConfig, id: string): Agent {
  const entry = config.agents.list.find((candidate) => candidate.id === id);
  const isDefault = id === defaultAgentId(config);
  if (entry === undefined && !isDefault) {
    throw new IsopodError(
      "not_found",
      `agent '${id}' is not configured`,
      `Configured: ${agentIds(config).join(", ")}.`,
    );
  }
  const defaults = config.agents.defaults;
  const { allowAgents, model, delegationMode } = entry?.subagents ?? {};
  return {
    id,
    name: entry?.name,
    model: modelRef(entry?.model) ?? modelRef(defaults.model),
    workspace: entry?.workspace ?? (isDefault ? defaults.workspace : undefined),
    subagents: {
      ...defaults.subagents,
      ...(allowAgents !== undefined && { allowAgents }),
      ...(model !== undefined && { model }),
      ...(delegationMode !== undefined && { delegationMode }),
    },
    defaults,
  };
}

function modelRef(choice: CoreConfig["agents"]["defaults"]["model"]): string | undefined {
  return typeof choice === "string" ? choice : choice?.primary;
}
