import type { Agent } from "../config/agents.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import type { Subagents } from "./subagents.ts";
import type { SubagentsDeps } from "./subagents-deps.ts";

/** A run whose tools reach for other sessions. */
export interface Caller {
  run: ActiveRun;
  agent: Agent;
  family: Subagents;
  deps: SubagentsDeps & { database: D1Database };
}
