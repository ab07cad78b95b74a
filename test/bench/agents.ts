import { agentIds, agentOf, heartbeatOf, sharingAgents } from "../../src/config/agents.ts";
import { checkConfig } from "../../src/config/faults.ts";
import { type Config, wholeSchema } from "../../src/services/config-schema.ts";
import { quantile, rounded } from "./statistics.ts";

/** How many agents the larger configuration has, and the smaller one that it is compared with. */
export const AGENTS = 10_000;
const FEWER_AGENTS = 1_000;
const SAMPLES = 7;

/** What resolving every agent of a configuration takes: the agent, its heartbeat, and who shares its workspace. */
export interface AgentsCost {
  /** Milliseconds of CPU for all agents. */
  ms: number;
  /** An agent's share of it over that in a configuration with a tenth of the agents: 1 where time grows with their number. */
  growth: number;
}

/** Resolves all agents of configurations that were just read, as often as it takes to know what it costs. */
export function measureAgents(): AgentsCost {
  const few = resolveMs(FEWER_AGENTS);
  const many = resolveMs(AGENTS);
  return { ms: rounded(many), growth: rounded(many / AGENTS / (few / FEWER_AGENTS)) };
}

function resolveMs(count: number): number {
  const list = Array.from({ length: count }, (_, n) => ({
    id: `bench-${n}`,
    ...(n % 2 === 0 && { heartbeat: { every: "1h" } }),
  }));
  const samples = Array.from({ length: SAMPLES }, () => {
    const config = configOf({ agents: { list } });
    return cpuMs(() => {
      for (const id of agentIds(config)) {
        agentOf(config, id);
        heartbeatOf(config, id);
        sharingAgents(config, id);
      }
    });
  });
  return quantile(samples, 0.5);
}

function configOf(document: object): Config {
  const checked = checkConfig(wholeSchema, document);
  if (checked.kind === "invalid") throw new Error(JSON.stringify(checked.faults));
  return checked.config;
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
