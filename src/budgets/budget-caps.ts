import type { Config } from "../services/services.ts";

/** What is counted: runs, tokens, or money in millionths of a US dollar. */
export type Spending = "runs" | "tokens" | "micros";

/** The most that may be spent within a sliding window. */
export interface Cap {
  of: Spending;
  minutes: number;
  limit: number;
}

/**
 * A budget's scope, which is also the name of its object: one agent, the runs of all agents that no person waits for, or
 * everything.
 */
export type Scope = "global" | "unattended" | `agent:${string}`;

/** The caps of one scope; at least one. */
export interface CappedScope {
  scope: Scope;
  caps: Cap[];
}

export const HOUR = 60;
export const DAY = 24 * HOUR;

type CapsConfig = Config["budgets"]["global"];

/** The budgets that the runs of an agent spend from: none where nothing is capped. */
export function budgetScopes({ budgets }: Config, agentId: string): CappedScope[] {
  const own = new Map(Object.entries(budgets.agents)).get(agentId) ?? budgets.perAgent;
  const scopes = [
    { scope: `agent:${agentId}` as const, caps: configuredCaps(own) },
    { scope: "unattended" as const, caps: configuredCaps(budgets.unattended) },
    { scope: "global" as const, caps: configuredCaps(budgets.global) },
  ];
  return scopes.filter(({ caps }) => caps.length > 0);
}

function configuredCaps(config: CapsConfig): Cap[] {
  const { runsPerHour, runsPerDay, tokensPerHour, tokensPerDay, usdPerHour, usdPerDay } = config;
  return [
    ...cap("runs", HOUR, runsPerHour),
    ...cap("runs", DAY, runsPerDay),
    ...cap("tokens", HOUR, tokensPerHour),
    ...cap("tokens", DAY, tokensPerDay),
    ...cap("micros", HOUR, usdPerHour && Math.round(usdPerHour * 1_000_000)),
    ...cap("micros", DAY, usdPerDay && Math.round(usdPerDay * 1_000_000)),
  ];
}

function cap(of: Spending, minutes: number, limit: number | undefined): Cap[] {
  return limit === undefined ? [] : [{ of, minutes, limit }];
}
