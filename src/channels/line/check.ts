import { z } from "zod";
import { sanitizeForPrompt } from "../../security/sanitize.ts";
import type { ChannelFinding, ConnectOptions } from "../channel.ts";
import type { PlatformAnswer } from "../platform-call.ts";
import { accessToken, type LineContext, tokenMissing } from "./account.ts";
import { callLine, refusalInWords } from "./line-api.ts";

const botInfo = z.object({ displayName: z.string(), basicId: z.string() });
const endpoint = z.object({ endpoint: z.string(), active: z.boolean() });
const quota = z.object({ type: z.string(), value: z.number().optional() });
const consumption = z.object({ totalUsage: z.number() });
const webhookTest = z.object({
  success: z.boolean(),
  statusCode: z.number().optional(),
  reason: z.string().optional(),
});

/** From this share of the month's messages on, it is told. */
const MUCH = 0.9;

/** Checks an account's secrets, its token, the webhook's address, and what is left of the month's messages. */
export async function checkAccount(
  context: LineContext,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const token = accessToken(context);
  if (token === undefined) return [...missingSecrets(context), tokenFinding(context)];
  const get = (path: string) => callLine(context, token, { path, method: "GET" }, signal);
  const [info, set, limit, used] = await Promise.all([
    get("/v2/bot/info"),
    get("/v2/bot/channel/webhook/endpoint"),
    get("/v2/bot/message/quota"),
    get("/v2/bot/message/quota/consumption"),
  ]);
  const bot = info.kind === "ok" ? botInfo.safeParse(info.json).data : undefined;
  if (bot === undefined) return [...missingSecrets(context), problem(info, context)];
  const known: ChannelFinding = {
    status: "ok",
    message: `the account is ${printable(bot.displayName)} (${printable(bot.basicId)}).`,
  };
  return [known, ...missingSecrets(context), aboutWebhook(set, context, webhookUrl), ...aboutQuota(limit, used)];
}

function missingSecrets({ account, secret }: LineContext): ChannelFinding[] {
  const { channelSecret } = account;
  if (secret(channelSecret)) return [];
  const fix = `Copy it from Basic settings of the channel in LINE Developers: wrangler secret put ${channelSecret.id}.`;
  return [{ status: "fail", message: `every message is refused, because ${channelSecret.id} is not set.`, fix }];
}

function tokenFinding({ account }: LineContext): ChannelFinding {
  const fix = "Issue it in LINE Developers, Messaging API, at the end of the page.";
  return { status: "fail", message: tokenMissing(account), fix };
}

function aboutWebhook(answer: PlatformAnswer, context: LineContext, expected: string): ChannelFinding {
  const fix = `Set the webhook URL to ${expected} in LINE Developers, Messaging API, and switch "Use webhook" on.`;
  if (answer.kind === "refused" && answer.status === 404) {
    return { status: "fail", message: "LINE calls nowhere: no webhook is set.", fix };
  }
  const set = answer.kind === "ok" ? endpoint.safeParse(answer.json).data : undefined;
  if (set === undefined) return problem(answer, context);
  if (set.endpoint === expected && set.active) return { status: "ok", message: "LINE calls this Worker." };
  if (set.endpoint === expected)
    return { status: "fail", message: 'the webhook is set, but "Use webhook" is off.', fix };
  if (!expected.startsWith("https:")) {
    const message = `LINE cannot call ${expected}, and calls elsewhere.`;
    return { status: "warn", message, fix: "Deploy, or use an https tunnel, and check that address." };
  }
  return { status: "warn", message: `LINE calls another address, ${printable(set.endpoint)}.`, fix };
}

/** Pushed messages are limited by the month; answers within a minute are not. */
function aboutQuota(limit: PlatformAnswer, used: PlatformAnswer): ChannelFinding[] {
  const most = limit.kind === "ok" ? quota.safeParse(limit.json).data?.value : undefined;
  const sent = used.kind === "ok" ? consumption.safeParse(used.json).data?.totalUsage : undefined;
  if (most === undefined || sent === undefined || sent < most * MUCH) return [];
  const fix = "Raise the plan in LINE Official Account Manager; answers within a minute cost nothing.";
  return [{ status: "warn", message: `${sent} of the month's ${most} messages are used.`, fix }];
}

/** The finding for a failed call. */
function problem(answer: PlatformAnswer, { account }: LineContext): ChannelFinding {
  const known = answer.kind === "refused" ? refusalInWords(answer.status, answer.description, account) : undefined;
  if (known !== undefined) return { status: "fail", message: known, fix: "See the channel in LINE Developers." };
  const why =
    answer.kind === "ok" ? "its answer cannot be read" : answer.kind === "refused" ? answer.description : answer.reason;
  return { status: "warn", message: `LINE does not answer: ${why}.`, fix: "Try again in a moment, and check apiBase." };
}

/** Points the channel's webhook to this Worker, and has LINE call it. */
export async function connectAccount(
  context: LineContext,
  { webhookUrl, takeOver }: ConnectOptions,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const token = accessToken(context);
  if (token === undefined) return [...missingSecrets(context), tokenFinding(context)];
  const path = "/v2/bot/channel/webhook/endpoint";
  const now = await callLine(context, token, { path, method: "GET" }, signal);
  const set = now.kind === "ok" ? endpoint.safeParse(now.json).data : undefined;
  if (set === undefined && !(now.kind === "refused" && now.status === 404)) return [problem(now, context)];
  if (set !== undefined && set.endpoint !== "" && set.endpoint !== webhookUrl && !takeOver) {
    const message = `LINE calls another address, ${printable(set.endpoint)}.`;
    return [{ status: "warn", message, fix: "Connect again, and take it over." }];
  }
  const put = await callLine(context, token, { path, method: "PUT", body: { endpoint: webhookUrl } }, signal);
  if (put.kind !== "ok") return [problem(put, context)];
  const tested = await callLine(context, token, { path: "/v2/bot/channel/webhook/test", body: {} }, signal);
  const test = tested.kind === "ok" ? webhookTest.safeParse(tested.json).data : undefined;
  if (test === undefined) return [problem(tested, context)];
  const done = { status: "ok", message: `LINE calls ${webhookUrl} from now on.` } as const;
  const switchOn = 'See that "Use webhook" is on in LINE Developers, Messaging API.';
  if (!test.success) {
    const message = `LINE's test of the webhook failed: ${printable(`${test.statusCode ?? ""} ${test.reason ?? ""}`.trim())}.`;
    return [
      done,
      { status: "fail", message, fix: `Compare ${context.account.channelSecret.id} with the channel's secret.` },
    ];
  }
  return set?.active === false ? [done, { status: "warn", message: '"Use webhook" was off.', fix: switchOn }] : [done];
}

function printable(text: string): string {
  return sanitizeForPrompt(text).slice(0, 200);
}
