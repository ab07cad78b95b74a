import type { ChannelFinding } from "../channel.ts";
import { accountKeys, type WebhookContext } from "./account.ts";

/** Checks an account's keys and address. Nothing is posted. */
export async function checkAccount(context: WebhookContext): Promise<ChannelFinding[]> {
  return [...aboutKeys(context), ...aboutReplies(context)];
}

function aboutKeys(context: WebhookContext): ChannelFinding[] {
  const { id } = context.account.secret;
  const { secrets, publicKeys, unreadable } = accountKeys(context);
  const make = `Make one: echo whsec_$(openssl rand -base64 24) | wrangler secret put ${id}.`;
  if (secrets.length + publicKeys.length === 0) {
    return [{ status: "fail", message: `every request is refused, because ${id} has no key.`, fix: make }];
  }
  const findings: ChannelFinding[] = [
    { status: "ok", message: `${secrets.length} secrets and ${publicKeys.length} public keys are known.` },
  ];
  if (unreadable > 0) {
    const message = `${unreadable} entries of ${id} are no keys.`;
    findings.push({ status: "warn", message, fix: "Write whsec_ or whpk_ and base64, with commas between keys." });
  }
  if (secrets.length === 0) {
    const message = "replies cannot be signed: there are public keys alone.";
    findings.push({ status: "warn", message, fix: `Add a secret to ${id}. ${make}` });
  }
  return findings;
}

function aboutReplies({ account, accountId, secret }: WebhookContext): ChannelFinding[] {
  const { replyUrl } = account;
  if (secret(account.secret) === undefined) return [];
  if (replyUrl === undefined) {
    const fix = `Set channels.webhook.accounts.${accountId}.replyUrl, or use /hooks for events that nobody answers.`;
    return [{ status: "warn", message: "replies go nowhere: it has no replyUrl.", fix }];
  }
  if (replyUrl.startsWith("https:")) return [{ status: "ok", message: `replies go to ${new URL(replyUrl).host}.` }];
  return [{ status: "warn", message: "replies are posted without encryption.", fix: "Use https in replyUrl." }];
}
