import { z } from "zod";
import { sanitizeForPrompt } from "../../security/sanitize.ts";
import type { ChannelFinding } from "../channel.ts";
import type { PlatformAnswer } from "../platform-call.ts";
import { type DiscordAccount, type DiscordContext, publicKey } from "./account.ts";

/** Discord's page with the settings of applications. */
export const PORTAL = "https://discord.com/developers/applications";

/** An application as Discord shows it to its own bot. */
export const application = z.object({
  id: z.string(),
  verify_key: z.string(),
  interactions_endpoint_url: z.string().nullish(),
  flags: z.int().default(0),
});

export type DiscordApplication = z.output<typeof application>;

const MAX_WORDS = 200;

/** What Discord says, for people. */
export function printable(text: string): string {
  return sanitizeForPrompt(text).slice(0, MAX_WORDS);
}

/** The finding for a request that failed. */
export function failedCall(
  answer: Exclude<PlatformAnswer, { kind: "ok" }>,
  { account }: DiscordContext,
): ChannelFinding {
  if (answer.kind !== "refused") {
    const message = `Discord does not answer: ${answer.reason}.`;
    return { status: "warn", message, fix: "Try again; if it persists, check apiBase and https://discordstatus.com." };
  }
  if (answer.status === 401) {
    const message = `Discord does not know the bot of ${account.botToken.id}.`;
    return { status: "fail", message, fix: newToken(account) };
  }
  const message = `Discord answers ${answer.status}: ${printable(answer.description)}`;
  return { status: "warn", message, fix: "Try again in a moment." };
}

/** How an account gets a token. */
export function newToken({ botToken }: DiscordAccount): string {
  return `At ${PORTAL}, page Bot, press Reset Token; then: wrangler secret put ${botToken.id}; locally, a line in .dev.vars.`;
}

/** The problems of the account's public key, compared with the application's where that is known. */
export function keyFindings(context: DiscordContext, app?: Pick<DiscordApplication, "verify_key">): ChannelFinding[] {
  const { account, secret } = context;
  const { id } = account.publicKey;
  const right = app === undefined ? "It is on the page General Information" : `It is ${printable(app.verify_key)}`;
  const fix = `${right}: wrangler secret put ${id}; locally, a line in .dev.vars.`;
  const key = publicKey(context);
  if (secret(account.publicKey) === undefined) {
    return [{ status: "fail", message: `every interaction is refused, because ${id} is not set.`, fix }];
  }
  if (key === undefined) return [{ status: "fail", message: `${id} is no public key of 64 digits.`, fix }];
  if (app === undefined || app.verify_key.toLowerCase() === key.toLowerCase()) return [];
  return [{ status: "fail", message: `${id} is the key of another application.`, fix }];
}
