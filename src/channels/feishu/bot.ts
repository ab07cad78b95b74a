import { z } from "zod";
import { within } from "../../lib/deadline.ts";
import { shortDigest } from "../../lib/digest.ts";
import type { FeishuContext, FeishuCredentials } from "./account.ts";
import { callFeishu, type FeishuAnswer } from "./open-api.ts";

/** Feishu gives a webhook three seconds. */
const ANSWER_MS = 2000;
/** How long the bot's open id is cached: an app keeps its bot. */
const REMEMBERED_MS = 60 * 60 * 1000;
/** Most apps in the cache. */
const MAX_KNOWN = 200;

const known = new Map<string, { openId: string; until: number }>();

const botAnswer = z.object({
  bot: z.object({ open_id: z.string(), app_name: z.string().default(""), activate_status: z.int().optional() }),
});

/** What Feishu says of an app's bot. */
export type FeishuBot = z.output<typeof botAnswer>["bot"];

/** Asks for an app's bot. */
export function askBot(
  context: FeishuContext,
  credentials: FeishuCredentials,
  signal: AbortSignal,
): Promise<FeishuAnswer> {
  return callFeishu(context, credentials, { path: "bot/v3/info", method: "GET" }, signal);
}

/** The bot in an answer; undefined if it names none. */
export function readBot(answer: FeishuAnswer): FeishuBot | undefined {
  return answer.kind === "ok" ? botAnswer.safeParse(answer.json).data?.bot : undefined;
}

/** The bot's open id, from the configuration, or else from Feishu and cached; undefined if Feishu does not answer. */
export async function botOpenId(context: FeishuContext, credentials: FeishuCredentials): Promise<string | undefined> {
  const { account } = context;
  if (account.botOpenId !== undefined) return account.botOpenId;
  const key = await shortDigest(JSON.stringify([account.domain, credentials.appId, credentials.appSecret]));
  const cached = known.get(key);
  if (cached !== undefined && cached.until > context.now()) return cached.openId;
  const bot = readBot(await within(ANSWER_MS, (signal) => askBot(context, credentials, signal)));
  if (bot === undefined) return undefined;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, { openId: bot.open_id, until: context.now() + REMEMBERED_MS });
  return bot.open_id;
}
