import { type Preferences, sessionPreferences } from "../../session-store/session-settings.ts";
import type { ActiveRun } from "../active-run.ts";
import type { TurnContext } from "../turn-context.ts";

/**
 * How a turn works and what it shows. What people chose to see of their own turns does not hold for runs in the
 * background, which say one thing or nothing, nor for visitors.
 */
export function turnPreferences(
  { row: { target }, journal: { state } }: Pick<ActiveRun, "row" | "journal">,
  { agent, session, origin }: Pick<TurnContext, "agent" | "session" | "origin">,
): Preferences {
  const preferences = sessionPreferences(session.settings, agent, state);
  if (target?.isVisitor) return { ...preferences, verbose: "off", usage: "off", reasoning: "off" };
  if (origin.queueClass !== "background") return preferences;
  const withReasoning = state.origin?.kind === "heartbeat" && state.origin.withReasoning === true;
  return { ...preferences, verbose: "off", usage: "off", reasoning: withReasoning ? "on" : "off" };
}
