import type { Target } from "../channels/channel.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { OpenChannel, Services } from "../services/services.ts";

/** The account that a conversation is reached by; undefined where it is not configured any more. Never throws. */
export function channelOf({ channel, accountId }: Target, services: () => Services): OpenChannel | undefined {
  try {
    return services().channel(channel, accountId);
  } catch (error) {
    log("debug", "channel.unknown", { channel, error: messageOf(error) });
    return undefined;
  }
}
