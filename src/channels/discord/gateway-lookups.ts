import { z } from "zod";
import { within } from "../../lib/deadline.ts";
import type { DiscordContext } from "./account.ts";
import { callDiscord } from "./api.ts";
import type { GatewayLookups } from "./gateway-event.ts";
import { type ChannelFacts, channelFacts } from "./payload.ts";

const ANSWER_MS = 5000;
/** Names of channels and roles seldom change. */
const REMEMBERED_MS = 60 * 60_000;
/** Most channels and servers that are remembered. */
const MAX_REMEMBERED = 2000;

const roles = z.array(z.object({ id: z.string(), tags: z.object({ bot_id: z.string().optional() }).optional() }));

/** What Discord was asked, by the path of the question. */
export type LookupMemory = Map<string, { json: unknown; until: number }>;

/** Looks up at Discord what events do not say, once an hour. What Discord does not tell is left out, and asked again. */
export function gatewayLookups(
  { botId, earlier }: Pick<GatewayLookups, "botId" | "earlier">,
  context: DiscordContext,
  memory: LookupMemory,
): GatewayLookups {
  async function ask(path: string): Promise<unknown> {
    const known = memory.get(path);
    if (known !== undefined && known.until > context.now()) return known.json;
    const answer = await within(ANSWER_MS, (signal) => callDiscord(context, { path, method: "GET" }, signal));
    if (answer.kind !== "ok") return undefined;
    if (memory.size >= MAX_REMEMBERED) memory.clear();
    memory.set(path, { json: answer.json, until: context.now() + REMEMBERED_MS });
    return answer.json;
  }
  return {
    botId,
    earlier,
    async botRoles(guildId) {
      const all = roles.safeParse(await ask(`/guilds/${guildId}/roles`)).data ?? [];
      return all.flatMap(({ id, tags }) => (tags?.bot_id === botId ? [id] : []));
    },
    async channel(id): Promise<ChannelFacts | undefined> {
      return channelFacts.safeParse(await ask(`/channels/${id}`)).data;
    },
  };
}
