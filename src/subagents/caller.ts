import type { Agent } from "../config/agents.ts";
import type { ActiveRun } from "../turn/active-run.ts";
import type { Family } from "./subagents.ts";
import type { FamilyRoom } from "./subagents-deps.ts";

/** A run whose tools reach for other sessions. */
export interface Caller {
  run: ActiveRun;
  agent: Agent;
  family: Family;
  room: FamilyRoom & { database: D1Database };
}
