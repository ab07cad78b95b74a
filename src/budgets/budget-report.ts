import { type Agent, agentIds } from "../config/agents.ts";
import { usdOf } from "../models/price.ts";
import type { Config } from "../services/services.ts";
import { type Cap, type CappedScope, HOUR, type Scope, scopesOf } from "./budget-caps.ts";
import type { BudgetNamespace, CapUse } from "./budget-state.ts";
import { capText, clockOf, figureText, scopeText, timeText } from "./budget-text.ts";

/** A budget and how much of it is used. */
export interface BudgetReport {
  scope: Scope;
  uses: CapUse[];
}

/** One cap as the outside sees it: runs, tokens, or US dollars. */
export interface CapView {
  /** Its field in the configuration. */
  cap: string;
  limit: number;
  spent: number;
  reserved: number;
  isFull: boolean;
  /** When something comes free, in milliseconds since the epoch. */
  roomAt?: number;
}

/** Every budget that caps anything: what all agents share, and each agent's own. */
export function allScopes(config: Config): CappedScope[] {
  const agents = new Set([...agentIds(config), ...Object.keys(config.budgets.agents)]);
  const scopes = [...agents].flatMap((agentId) => scopesOf(config, agentId));
  return [...new Map(scopes.map((scope) => [scope.scope, scope])).values()];
}

/** Asks budgets how much of them is used. Rejects where one does not answer. */
export function readBudgets(scopes: readonly CappedScope[], budgets: BudgetNamespace): Promise<BudgetReport[]> {
  return Promise.all(
    scopes.map(async ({ scope, caps }) => ({ scope, uses: await budgets.getByName(scope).uses(caps) })),
  );
}

/** A budget as the outside sees it. */
export function budgetView({ scope, uses }: BudgetReport): { scope: string; caps: CapView[] } {
  return {
    scope,
    caps: uses.map(({ cap, spent, reserved, isFull, roomAt }) => ({
      cap: fieldOf(cap),
      limit: unitsOf(cap, cap.limit),
      spent: unitsOf(cap, spent),
      reserved: unitsOf(cap, reserved),
      isFull,
      ...(roomAt !== undefined && { roomAt }),
    })),
  };
}

/**
 * The budgets that an agent spends from, a line of Markdown for each cap; what is set aside for calls at work counts as
 * used. Rejects where one does not answer.
 */
export async function budgetLines(
  agent: Agent,
  config: Config,
  budgets: BudgetNamespace,
  now: number,
): Promise<string[]> {
  const reports = await readBudgets(scopesOf(config, agent.id), budgets);
  const clock = clockOf(agent);
  return reports.flatMap(({ scope, uses }) =>
    uses.map(({ cap, spent, reserved, roomAt }) => {
      const deps = roomAt === undefined ? "" : `; room again ${timeText(roomAt, now, clock)}`;
      return `Budget of ${scopeText(scope)}: ${figureText(cap.of, spent + reserved)} of ${capText(cap)}${deps}`;
    }),
  );
}

function fieldOf({ of, minutes }: Cap): string {
  return `${of === "micros" ? "usd" : of}Per${minutes === HOUR ? "Hour" : "Day"}`;
}

function unitsOf({ of }: Cap, amount: number): number {
  return of === "micros" ? usdOf(amount) : amount;
}
