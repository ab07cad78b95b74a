import type { Agent } from "../config/agents.ts";
import type { ThinkingLevel } from "../models/model.ts";
import type { SessionSettings } from "./stored-shapes.ts";

/** How an agent works and what it shows of that, in one session. */
export interface Preferences {
  thinking: ThinkingLevel;
  reasoning: NonNullable<SessionSettings["reasoning"]>;
  verbose: NonNullable<SessionSettings["verbose"]>;
  usage: NonNullable<SessionSettings["usage"]>;
}

/** What the run was given, else what the session has set, else the agent's defaults. */
export function preferencesOf(
  settings: SessionSettings,
  { defaults }: Agent,
  run: { thinking?: ThinkingLevel } = {},
): Preferences {
  return {
    thinking: run.thinking ?? settings.thinking ?? defaults.thinkingDefault,
    reasoning: settings.reasoning ?? defaults.reasoningDefault,
    verbose: settings.verbose ?? defaults.verboseDefault,
    usage: settings.usage ?? "off",
  };
}
