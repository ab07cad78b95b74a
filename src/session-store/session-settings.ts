import type { Target } from "../channels/channel.ts";
import type { Agent } from "../config/agents.ts";
import { IsopodError } from "../lib/errors.ts";
import { lazy } from "../lib/lazy.ts";
import type { ThinkingLevel } from "../models/model.ts";
import { type Config, wholeSchema } from "../services/config-schema.ts";
import type { Services } from "../services/services.ts";
import type { QueuePolicy } from "./queue.ts";
import type { SessionSettings } from "./stored-shapes.ts";

/** How an agent works in one session, and what it shows of it. */
export interface Preferences {
  thinking: ThinkingLevel;
  reasoning: NonNullable<SessionSettings["reasoning"]>;
  verbose: NonNullable<SessionSettings["verbose"]>;
  usage: NonNullable<SessionSettings["usage"]>;
}

/** The values of the run, or else of the session, or else the agent's defaults. */
export function sessionPreferences(
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

const defaultQueue = lazy(() => wholeSchema.parse({}).messages.queue);

/** The queue policy of a session. With an invalid configuration the defaults apply. */
export function queuePolicyFor(
  services: () => Services,
  settings: SessionSettings,
  target: Target | null,
): QueuePolicy {
  const { byChannel, ...policy } = queueConfig(services);
  // A parent's messages reach a sub-agent while it works.
  const mode = settings.spawned ? "steer" : ((target && byChannel[target.channel]) ?? policy.mode);
  return { ...policy, mode, ...settings.queue };
}

function queueConfig(services: () => Services): Config["messages"]["queue"] {
  try {
    return services().config.messages.queue;
  } catch (error) {
    if (error instanceof IsopodError) return defaultQueue();
    throw error;
  }
}
