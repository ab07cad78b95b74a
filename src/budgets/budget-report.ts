import { type Agent, agentIds } from "../config/agents.ts";
import { lazy } from "../lib/lazy.ts";
import { usdOf } from "../models/price.ts";
import type { Config } from "../services/services.ts";
import { budgetScopes, type Cap, type CappedScope, HOUR, type Scope, type Spending } from "./budget-caps.ts";
import type { BudgetNamespace, CapUse, FullCap } from "./budget-state.ts";

/** A budget and its use. */
export interface BudgetReport {
  scope: Scope;
  uses: CapUse[];
}

/** One cap as the API shows it: runs, tokens, or US dollars. */
export interface CapView {
  /** Its field in the configuration. */
  cap: string;
  limit: number;
  spent: number;
  reserved: number;
  isFull: boolean;
  /** When some of it is free again, in milliseconds since the epoch. */
  roomAt?: number;
}

/** All budgets with caps: the shared ones, and each agent's own. */
export function allScopes(config: Config): CappedScope[] {
  const agents = new Set([...agentIds(config), ...Object.keys(config.budgets.agents)]);
  const scopes = [...agents].flatMap((agentId) => budgetScopes(config, agentId));
  return [...new Map(scopes.map((scope) => [scope.scope, scope])).values()];
}

/** Reads the use of budgets. Rejects where one does not answer. */
export function readBudgets(scopes: readonly CappedScope[], budgets: BudgetNamespace): Promise<BudgetReport[]> {
  return Promise.all(
    scopes.map(async ({ scope, caps }) => ({ scope, uses: await budgets.getByName(scope).uses(caps) })),
  );
}

/** A budget as the API shows it. */
export function budgetView({ scope, uses }: BudgetReport): { scope: string; caps: CapView[] } {
  return {
    scope,
    caps: uses.map(({ cap, spent, reserved, isFull, roomAt }) => ({
      cap: capField(cap),
      limit: capAmount(cap, cap.limit),
      spent: capAmount(cap, spent),
      reserved: capAmount(cap, reserved),
      isFull,
      ...(roomAt !== undefined && { roomAt }),
    })),
  };
}

/**
 * The budgets of an agent, a line of Markdown for each cap; reservations count as used. Rejects where a budget does not
 * answer.
 */
export async function budgetLines(
  agent: Agent,
  config: Config,
  budgets: BudgetNamespace,
  now: number,
): Promise<string[]> {
  const reports = await readBudgets(budgetScopes(config, agent.id), budgets);
  const clock = agentClock(agent);
  return reports.flatMap(({ scope, uses }) =>
    uses.map(({ cap, spent, reserved, roomAt }) => {
      const room = roomAt === undefined ? "" : `; room again ${timeText(roomAt, now, clock)}`;
      return `Budget of ${scopeText(scope)}: ${figureText(cap.of, spent + reserved)} of ${capText(cap)}${room}`;
    }),
  );
}

function capField({ of, minutes }: Cap): string {
  return `${of === "micros" ? "usd" : of}Per${minutes === HOUR ? "Hour" : "Day"}`;
}

function capAmount({ of }: Cap, amount: number): number {
  return of === "micros" ? usdOf(amount) : amount;
}

/** How a user writes times of day. */
export interface Clock {
  /** IANA zone. */
  zone: string;
  hours: "auto" | "12" | "24";
}

/** The clock of an agent's user. */
export function agentClock({ defaults }: Agent): Clock {
  return { zone: defaults.userTimezone ?? "UTC", hours: defaults.timeFormat };
}

/** Why a run may not continue: the cap, its limit, and when there is room again. */
export function refusalText(scope: Scope, { cap, wanted, roomAt }: FullCap, now: number, clock: Clock): string {
  const budget = `The budget of ${scopeText(scope)} allows ${capText(cap)}`;
  if (roomAt !== undefined)
    return `${budget}, and no more is left. There is room again ${timeText(roomAt, now, clock)}.`;
  if (cap.limit === 0) return `${budget}.`;
  return `${budget}, which is less than the ${amountText(cap.of, wanted)} that one reply would take.`;
}

/** A scope in words. */
export function scopeText(scope: Scope): string {
  if (scope === "global") return "all agents together";
  if (scope === "unattended") return "heartbeats, jobs and webhooks";
  return `the agent \`${scope.slice("agent:".length)}\``;
}

/** A cap in words: `5 runs an hour`. */
export function capText({ of, limit, minutes }: Cap): string {
  return `${amountText(of, limit)} ${minutes === HOUR ? "an hour" : "a day"}`;
}

/** An amount in words: `5 runs`, `$2.50`. */
export function amountText(of: Spending, amount: number): string {
  if (of === "micros") return figureText(of, amount);
  const unit = of === "runs" ? "run" : "token";
  return `${figureText(of, amount)} ${unit}${amount === 1 ? "" : "s"}`;
}

/** An amount without its unit: `5`, `$2.50`. */
export function figureText(of: Spending, amount: number): string {
  return of === "micros" ? dollars().format(usdOf(amount)) : whole().format(amount);
}

/** An instant within a week, to the minute, rounded up: `at 14:05 (UTC)`, `on Sunday at 14:05 (UTC)`. */
export function timeText(at: number, now: number, { zone: timeZone, hours }: Clock): string {
  const instant = Math.ceil(at / 60_000) * 60_000;
  const day = new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "long" });
  const time = new Intl.DateTimeFormat(hours === "12" ? "en-US" : "en-GB", {
    timeZone,
    hour: "numeric",
    minute: "2-digit",
  });
  const isToday = day.format(instant) === day.format(now);
  return `${isToday ? "" : `on ${day.format(instant)} `}at ${time.format(instant)} (${timeZone})`;
}

const whole = lazy(() => new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 }));
const dollars = lazy(
  () => new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 4 }),
);
