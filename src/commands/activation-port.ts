import { configuredActivation } from "../channels/access.ts";
import { type Activation, findActivation, saveActivation } from "../channels/activation.ts";
import type { Target } from "../channels/channel.ts";
import type { Services } from "../services/services.ts";

/** When the agent listens in the group that a command was given in. All of it may be repeated. */
export interface ActivationPort {
  /** What the configuration says. */
  readonly configured: Activation;
  /** What an owner has set against that. */
  find(): Promise<Activation | undefined>;
  /** Undefined goes back to the configuration. */
  save(mode: Activation | undefined): Promise<void>;
}

/** The port of a group; undefined where a target is none. @throws IsopodError where the channel is not there any more */
export function activationPort(
  target: Target | null,
  sessionKey: string,
  { services, database, now }: { services: Services; database: D1Database; now(): number },
): ActivationPort | undefined {
  if (target === null || target.kind === "direct") return undefined;
  const { channel, context } = services.channel(target.channel, target.accountId);
  return {
    configured: configuredActivation(channel.access(context.account), target.conversationId),
    find: () => findActivation(database, sessionKey, now()),
    save: (mode) => saveActivation(database, sessionKey, mode),
  };
}
