import { z } from "zod";
import { within } from "../../lib/deadline.ts";
import type { ChannelContext } from "../channel.ts";
import type { TelegramAccount } from "./account.ts";
import { callBot } from "./bot-api.ts";

/** Who the bot is. */
export interface BotIdentity {
  id: number;
  username: string;
}

const GET_ME_TIMEOUT_MS = 5_000;
/** A username can be changed, though seldom. */
const REMEMBERED_MS = 60 * 60 * 1000;

const remembered = new Map<string, { identity: BotIdentity; until: number }>();

const me = z.object({ id: z.int(), username: z.string() });

/** The bot's id, which its token begins with; undefined where it does not. */
export function botIdOf(token: string): number | undefined {
  const id = /^(\d+):/.exec(token)?.[1];
  return id === undefined ? undefined : Number(id);
}

/**
 * Who the bot is: from its token and configuration, or else as Telegram says, asked once an hour.
 * @returns undefined when Telegram does not say now
 */
export async function identify(
  context: ChannelContext<TelegramAccount>,
  token: string,
): Promise<BotIdentity | undefined> {
  const id = botIdOf(token);
  const { username } = context.account;
  if (id !== undefined && username !== undefined) return { id, username };
  const known = remembered.get(token);
  if (known !== undefined && known.until > context.now()) return known.identity;
  const answer = await within(GET_ME_TIMEOUT_MS, (signal) => callBot(context, token, "getMe", {}, signal));
  const identity = answer.kind === "ok" ? me.safeParse(answer.result).data : undefined;
  if (identity === undefined) return undefined;
  remembered.set(token, { identity, until: context.now() + REMEMBERED_MS });
  return identity;
}
