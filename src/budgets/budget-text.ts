import type { Agent } from "../config/agents.ts";
import { usdOf } from "../models/price.ts";
import { type Cap, HOUR, type Scope, type Spending } from "./budget-caps.ts";
import type { Full } from "./budget-state.ts";

/** How a person writes the time of day. */
export interface Clock {
  /** IANA zone. */
  zone: string;
  hours: "auto" | "12" | "24";
}

/** The clock of an agent's user. */
export function clockOf({ defaults }: Agent): Clock {
  return { zone: defaults.userTimezone ?? "UTC", hours: defaults.timeFormat };
}

/** Why a run may not go on, for people: which cap, how much it allows, and when there is room again. */
export function refusalText(scope: Scope, { cap, wanted, roomAt }: Full, now: number, clock: Clock): string {
  const budget = `The budget of ${scopeText(scope)} allows ${capText(cap)}`;
  if (roomAt !== undefined)
    return `${budget}, and no more is left. There is room again ${timeText(roomAt, now, clock)}.`;
  if (cap.limit === 0) return `${budget}.`;
  return `${budget}, which is less than the ${amountText(cap.of, wanted)} that one reply would take.`;
}

/** A scope for people. */
export function scopeText(scope: Scope): string {
  return scope === "global" ? "all agents together" : `the agent \`${scope.slice("agent:".length)}\``;
}

/** A cap for people: `5 runs an hour`. */
export function capText({ of, limit, minutes }: Cap): string {
  return `${amountText(of, limit)} ${minutes === HOUR ? "an hour" : "a day"}`;
}

/** An amount for people: `5 runs`, `$2.50`. */
export function amountText(of: Spending, amount: number): string {
  if (of === "micros") return figureText(of, amount);
  const unit = of === "runs" ? "run" : "token";
  return `${figureText(of, amount)} ${unit}${amount === 1 ? "" : "s"}`;
}

/** An amount for people, without what it is of: `5`, `$2.50`. */
export function figureText(of: Spending, amount: number): string {
  return of === "micros" ? dollars.format(usdOf(amount)) : whole.format(amount);
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

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 4 });
