import { z } from "zod";
import { sanitizeForPrompt } from "../../security/sanitize.ts";
import { accessFindings } from "../access-findings.ts";
import type { ChannelFinding } from "../channel.ts";
import type { TelegramAccount, TelegramContext } from "./account.ts";
import { type BotAnswer, botToken, callBot } from "./bot-api.ts";

/** This many pending updates are more than a passing backlog. */
const MANY_PENDING = 20;
/** Older errors say nothing about the current state. */
const RECENT_ERROR_MS = 6 * 3_600_000;
const MAX_ERROR_CHARS = 200;

const bot = z.object({ username: z.string(), can_read_all_group_messages: z.boolean().default(false) });
export const webhookInfo = z.object({
  url: z.string(),
  pending_update_count: z.int().default(0),
  last_error_date: z.int().exactOptional(),
  last_error_message: z.string().exactOptional(),
  allowed_updates: z.array(z.string()).exactOptional(),
});

/** Checks a bot's token, its webhook's address, and whether its calls succeed. */
export async function checkAccount(
  context: TelegramContext,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const missing = missingSecrets(context);
  const token = botToken(context);
  if (token === undefined) return missing;
  const [me, info] = await Promise.all([
    callBot(context, token, "getMe", {}, signal),
    callBot(context, token, "getWebhookInfo", {}, signal),
  ]);
  if (me.kind !== "ok") return [...missing, tokenFinding(me, context)];
  return [
    ...aboutBot(me, context),
    ...missing,
    ...aboutWebhook(info, context, webhookUrl),
    ...accessFindings("Telegram", context.account),
  ];
}

export function missingSecrets({ account, secret }: TelegramContext): ChannelFinding[] {
  const { botToken, webhookSecret } = account;
  const token = secret(botToken);
  const findings: ChannelFinding[] = [];
  if (token === undefined) {
    const fix = `Ask @BotFather for a token: wrangler secret put ${botToken.id}; locally, a line in .dev.vars.`;
    findings.push({ status: "fail", message: `it has no token: ${botToken.id} is not set.`, fix });
  } else if (!/^\d+:[\w-]+$/.test(token)) {
    const fix = `Copy it again from @BotFather (digits, a colon, a long word): wrangler secret put ${botToken.id}.`;
    findings.push({ status: "fail", message: `${botToken.id} does not look like a bot's token.`, fix });
  }
  if (secret(webhookSecret) === undefined) {
    const fix = `Generate a random word, give it to setWebhook as secret_token, and run: wrangler secret put ${webhookSecret.id}.`;
    findings.push({
      status: "fail",
      message: `every message is refused, because ${webhookSecret.id} is not set.`,
      fix,
    });
  }
  return findings;
}

/** The finding for a failed call. */
export function tokenFinding(answer: Exclude<BotAnswer, { kind: "ok" }>, { account }: TelegramContext): ChannelFinding {
  if (answer.kind === "lost" || answer.kind === "unreached") {
    const message = `Telegram does not answer: ${answer.reason}.`;
    return { status: "warn", message, fix: "Try again; if it persists, check apiBase and Telegram's status." };
  }
  if (answer.status === 401 || answer.status === 404) {
    const fix = `Copy the token again from @BotFather: wrangler secret put ${account.botToken.id}.`;
    return { status: "fail", message: `Telegram does not know the bot of ${account.botToken.id}.`, fix };
  }
  const message = `Telegram answers ${answer.status}: ${printable(answer.description)}`;
  return { status: "warn", message, fix: "Try again in a moment." };
}

function aboutBot(me: Extract<BotAnswer, { kind: "ok" }>, { account }: TelegramContext): ChannelFinding[] {
  const known = bot.safeParse(me.result).data;
  if (known === undefined) {
    return [{ status: "warn", message: "Telegram's answer does not name the bot.", fix: "Try again in a moment." }];
  }
  const { username, can_read_all_group_messages: readsAll } = known;
  const findings: ChannelFinding[] = [{ status: "ok", message: `the bot is @${printable(username)}.` }];
  if (account.username !== undefined && account.username.toLowerCase() !== username.toLowerCase()) {
    const message = `it is configured as @${account.username} and is @${printable(username)}: mentions are missed.`;
    findings.push({ status: "warn", message, fix: "Correct its username, or take it out." });
  }
  const listensToAll =
    !account.requireMention || Object.values(account.groups).some((group) => group.requireMention === false);
  if (listensToAll && !readsAll) {
    const message = "it should read every group message, but Telegram shows it only those that address it.";
    const fix =
      "Switch its privacy off with /setprivacy at @BotFather, then take it out of the group and add it again.";
    findings.push({ status: "warn", message, fix });
  }
  return findings;
}

function aboutWebhook(answer: BotAnswer, context: TelegramContext, expected: string): ChannelFinding[] {
  if (answer.kind !== "ok") return [tokenFinding(answer, context)];
  const info = webhookInfo.safeParse(answer.result).data;
  if (info === undefined) {
    return [{ status: "warn", message: "Telegram's answer has no webhook.", fix: "Try again in a moment." }];
  }
  return [addressFinding(info.url, context, expected), ...webhookFindings(info, context)];
}

function addressFinding(url: string, { account }: TelegramContext, expected: string): ChannelFinding {
  const fix = setWebhook(account, expected);
  if (url === expected) return { status: "ok", message: "Telegram calls this Worker." };
  if (!expected.startsWith("https:")) {
    const message = `Telegram cannot call ${expected}, and calls ${url === "" ? "nowhere" : "elsewhere"}.`;
    return { status: "warn", message, fix: "Deploy, or use an https tunnel, and check that address." };
  }
  if (url === "") return { status: "fail", message: "Telegram calls nowhere: no webhook is set.", fix };
  const isSamePath = URL.canParse(url) && new URL(url).pathname === new URL(expected).pathname;
  if (!isSamePath) return { status: "fail", message: `Telegram calls another address, not ${expected}.`, fix };
  const message = `Telegram calls another host, ${new URL(url).host}.`;
  return { status: "warn", message, fix: `If that is not this Worker: ${fix}` };
}

/** The update types that are handled. */
export const NEEDED = ["message", "edited_message", "channel_post", "edited_channel_post", "callback_query"];

function webhookFindings(info: z.output<typeof webhookInfo>, { account, now }: TelegramContext): ChannelFinding[] {
  const findings: ChannelFinding[] = [];
  const {
    last_error_date: errorAt,
    last_error_message: error,
    pending_update_count: pending,
    allowed_updates: kinds,
  } = info;
  const isRecent = errorAt !== undefined && now() - errorAt * 1000 < RECENT_ERROR_MS;
  if (isRecent && pending > 0) {
    const message = `Telegram's last call failed: ${printable(error ?? "no reason given")}`;
    findings.push({ status: "fail", message, fix: webhookErrorFix(error ?? "", account) });
  } else if (isRecent) {
    const message = `a recent call of Telegram's failed, and later ones succeeded: ${printable(error ?? "")}`;
    findings.push({ status: "warn", message, fix: webhookErrorFix(error ?? "", account) });
  }
  if (pending >= MANY_PENDING) {
    const message = `${pending} updates wait at Telegram.`;
    findings.push({
      status: "warn",
      message,
      fix: "They arrive once calls succeed; check the Worker's log.",
    });
  }
  const left = kinds === undefined || kinds.length === 0 ? [] : NEEDED.filter((kind) => !kinds.includes(kind));
  if (left.length > 0) {
    const fix = `Call setWebhook again with allowed_updates=${JSON.stringify(NEEDED)}.`;
    const status = left.includes("message") ? "fail" : "warn";
    findings.push({ status, message: `allowed_updates of the webhook leaves out ${left.join(", ")}.`, fix });
  }
  return findings;
}

/** The fix for a webhook error, by Telegram's message. */
function webhookErrorFix(error: string, { webhookSecret }: TelegramAccount): string {
  if (/401|unauthorized/i.test(error)) {
    return `The secret differs: give setWebhook the value of ${webhookSecret.id} as secret_token.`;
  }
  if (/404|not found/i.test(error)) return "The address is not this Worker's: call setWebhook again.";
  if (/5\d\d/.test(error)) return "Look at the Worker's log: wrangler tail.";
  return "Check that the address is reachable from outside, with a valid certificate.";
}

function setWebhook({ apiBase, botToken, webhookSecret }: TelegramAccount, url: string): string {
  const api = `${apiBase.replace(/\/+$/, "")}/bot$${botToken.id}/setWebhook`;
  return `Run: curl "${api}" -d url=${url} -d secret_token=$${webhookSecret.id}`;
}

function printable(text: string): string {
  return sanitizeForPrompt(text).slice(0, MAX_ERROR_CHARS);
}
