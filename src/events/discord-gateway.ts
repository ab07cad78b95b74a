import { DurableObject } from "cloudflare:workers";
import { lazy } from "../lib/lazy.ts";
import type { GatewayStatus } from "../services/discord-gateways.ts";

/**
 * The connection of one Discord account with Discord's Gateway, over which ordinary messages come; its name is the
 * account's id. The alarm keeps the heart beating and connects again. While it is connected, the object stays in memory.
 */
export class DiscordGateway extends DurableObject<Env> {
  /** What an isolate without a Gateway does not load. */
  readonly #client = lazy(async () => {
    const { GatewayClient } = await import("./discord-gateway-client.ts");
    return new GatewayClient(this.ctx, this.env);
  });

  /**
   * Connects if the configuration says so and there is no connection, and ends it if not. May be repeated.
   * @param again whether it is tried now, although the last time failed
   */
  async start(accountId: string, again = false): Promise<GatewayStatus> {
    return (await this.#client()).start(accountId, again);
  }

  async status(): Promise<GatewayStatus> {
    return (await this.#client()).status();
  }

  override async alarm(): Promise<void> {
    await (await this.#client()).tend();
  }
}
