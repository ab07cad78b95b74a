import { configuredActivation } from "../channels/access.ts";
import { type Activation, findActivation, saveActivation } from "../channels/activation.ts";
import type { Target } from "../channels/channel.ts";
import type { Services } from "../services/services.ts";

/** The activation setting of the group in which a command was typed. Every call may be repeated. */
export interface ActivationPort {
  /** The configured mode. */
  readonly configured: Activation;
  /** The mode that an owner set instead, if any. */
  find(): Promise<Activation | undefined>;
  /** Undefined restores the configured mode. */
  save(mode: Activation | undefined): Promise<void>;
}

/** The port of a group; undefined for other targets. @throws IsopodError if the channel is not configured */
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
