import { z } from "zod";
import { sanitizeForPrompt } from "../../security/sanitize.ts";
import type { ChannelFinding } from "../channel.ts";
import { botToken, type SlackContext } from "./account.ts";
import { advice, callSlack } from "./web-api.ts";

const MAX_NAME_CHARS = 100;

const identity = z.object({ user: z.string(), user_id: z.string(), team: z.string() });

/** Checks an app's secrets and token. Slack tells nobody which address it calls. */
export async function checkAccount(
  context: SlackContext,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const missing = missingSecrets(context);
  const token = botToken(context);
  if (token === undefined) return missing;
  const answer = await callSlack(context, token, "auth.test", {}, signal);
  if (answer.kind === "refused") {
    const known = advice(answer.description, context.account);
    const message = `Slack answers: ${answer.description}.`;
    const fix = known ?? "Try again in a moment.";
    return [...missing, { status: known === undefined ? "warn" : "fail", message, fix }];
  }
  if (answer.kind !== "ok") {
    const fix = "Try again; if it persists, check apiBase and https://slack-status.com.";
    return [...missing, { status: "warn", message: `Slack does not answer: ${answer.reason}.`, fix }];
  }
  return [...aboutBot(answer.json, context), ...missing, ...aboutAddress(webhookUrl)];
}

function missingSecrets({ account, secret }: SlackContext): ChannelFinding[] {
  const { botToken, signingSecret } = account;
  const findings: ChannelFinding[] = [];
  const token = secret(botToken);
  if (token === undefined) {
    const fix = `Copy it from OAuth & Permissions of the app: wrangler secret put ${botToken.id}; locally, a line in .dev.vars.`;
    findings.push({ status: "fail", message: `it has no token: ${botToken.id} is not set.`, fix });
  } else if (!token.startsWith("xoxb-")) {
    const fix = `Copy the Bot User OAuth Token from OAuth & Permissions: wrangler secret put ${botToken.id}.`;
    findings.push({ status: "fail", message: `${botToken.id} is no bot token: those begin with xoxb-.`, fix });
  }
  if (!secret(signingSecret)) {
    const fix = `Copy the Signing Secret from Basic Information of the app: wrangler secret put ${signingSecret.id}.`;
    findings.push({
      status: "fail",
      message: `every message is refused, because ${signingSecret.id} is not set.`,
      fix,
    });
  }
  return findings;
}

function aboutBot(json: unknown, { account }: SlackContext): ChannelFinding[] {
  const known = identity.safeParse(json).data;
  if (known === undefined) {
    return [{ status: "warn", message: "Slack's answer does not name the bot.", fix: "Try again in a moment." }];
  }
  const { user, user_id: userId, team } = known;
  const findings: ChannelFinding[] = [
    { status: "ok", message: `the bot is @${printable(user)} (${printable(userId)}) in ${printable(team)}.` },
  ];
  if (account.botUserId !== undefined && account.botUserId !== userId) {
    const message = `it is configured as ${account.botUserId} and is ${printable(userId)}: mentions are missed.`;
    findings.push({ status: "warn", message, fix: "Correct its botUserId, or take it out." });
  }
  return findings;
}

function aboutAddress(webhookUrl: string): ChannelFinding[] {
  if (webhookUrl.startsWith("https:")) return [];
  const message = `Slack cannot call ${webhookUrl}.`;
  return [{ status: "warn", message, fix: "Deploy, or use an https tunnel, and check that address." }];
}

function printable(text: string): string {
  return sanitizeForPrompt(text).slice(0, MAX_NAME_CHARS);
}
