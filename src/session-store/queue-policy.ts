import type { Target } from "../channels/channel.ts";
import { IsopodError } from "../lib/errors.ts";
import { type Config, wholeSchema } from "../services/config-schema.ts";
import type { Services } from "../services/services.ts";
import type { QueuePolicy } from "./queue.ts";
import type { SessionSettings } from "./stored-shapes.ts";

const DEFAULT_QUEUE = wholeSchema.parse({}).messages.queue;

/** How a session treats what comes while it is busy. A configuration that is not valid means the defaults. */
export function policyFor(services: () => Services, settings: SessionSettings, target: Target | null): QueuePolicy {
  const { byChannel, ...policy } = queueConfig(services);
  // Who started a sub-agent wants to be heard while it works.
  const mode = settings.spawned ? "steer" : ((target && byChannel[target.channel]) ?? policy.mode);
  return { ...policy, mode, ...settings.queue };
}

function queueConfig(services: () => Services): Config["messages"]["queue"] {
  try {
    return services().config.messages.queue;
  } catch (error) {
    if (error instanceof IsopodError) return DEFAULT_QUEUE;
    throw error;
  }
}
