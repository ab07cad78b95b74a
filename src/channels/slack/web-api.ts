import { z } from "zod";
import type { Delivery } from "../channel.ts";
import { callPlatform, deliveryOf, type PlatformAnswer, refusedIf } from "../platform-call.ts";
import type { SlackAccount, SlackContext } from "./account.ts";

/** The methods used here. */
type Method =
  | "assistant.threads.setStatus"
  | "auth.test"
  | "chat.postMessage"
  | "conversations.open"
  | "files.completeUploadExternal"
  | "files.getUploadURLExternal"
  | "files.info"
  | "reactions.add"
  | "reactions.get"
  | "reactions.remove";

/** An argument; what is no text or number is sent as JSON. */
type Argument = string | number | boolean | object | undefined;

/**
 * Calls the Web API once. Never throws. Arguments are form fields, which all methods take; only some take JSON.
 * @see https://docs.slack.dev/apis/web-api/
 */
export async function callSlack(
  context: SlackContext,
  token: string,
  method: Method,
  args: Readonly<Record<string, Argument>>,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
  const given = Object.entries(args).flatMap(([name, value]) => (value === undefined ? [] : [[name, asField(value)]]));
  const answer = await callPlatform(
    context,
    {
      url: `${context.account.apiBase.replace(/\/+$/, "")}/${method}`,
      headers: { Authorization: `Bearer ${token}` },
      body: new URLSearchParams(given),
      secrets: [token],
    },
    signal,
  );
  return refusedIf(answer, refusal);
}

function asField(value: NonNullable<Argument>): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const accepted = z.object({ ok: z.literal(true) });
const refused = z.object({ ok: z.literal(false), error: z.string(), needed: z.string().exactOptional() });

/** The statuses that errors have which say that nothing was done yet, or that something may have been. */
const STATUS: Readonly<Record<string, number>> = {
  ratelimited: 429,
  rate_limited: 429,
  message_limit_exceeded: 429,
  service_unavailable: 503,
  request_timeout: 503,
  team_added_to_org: 503,
  org_login_required: 503,
  internal_error: 500,
  fatal_error: 500,
};

/** Slack answers most errors with 200 and `ok: false`. */
function refusal(json: unknown): { status: number; description: string } | undefined {
  if (accepted.safeParse(json).success) return undefined;
  const said = refused.safeParse(json).data;
  if (said === undefined) return { status: 502, description: "the answer could not be read" };
  const description = said.needed === undefined ? said.error : `${said.error}: ${said.needed}`;
  return { status: STATUS[said.error] ?? 400, description };
}

const sent = z.object({ ts: z.string() });

/** The outcome of a delivery, by Slack's answer. */
export function toDelivery(answer: PlatformAnswer, { account }: Pick<SlackContext, "account">): Delivery {
  return deliveryOf(answer, {
    platform: "Slack",
    externalId: (json) => sent.safeParse(json).data?.ts,
    explain: (_, description) => advice(description, account),
  });
}

/** What an error means and what to do about it; undefined where Slack's word for it says as much. */
export function advice(description: string, account: SlackAccount): string | undefined {
  const [error = "", needed] = description.split(": ");
  const words = meaning(error, needed, account.botToken.id);
  return words && `${words} (${error}).`;
}

function meaning(error: string, needed: string | undefined, tokenVariable: string): string | undefined {
  switch (error) {
    case "not_in_channel":
    case "channel_not_found":
      return "The app is not in this conversation, or there is none: invite it with /invite";
    case "is_archived":
      return "The channel is archived";
    case "invalid_auth":
    case "not_authed":
    case "account_inactive":
    case "token_revoked":
      return `Slack refuses the bot token: install the app again, and set ${tokenVariable} to its token`;
    case "token_expired":
      return `The bot token has expired: create the app without token rotation, and set ${tokenVariable}`;
    case "missing_scope":
    case "not_allowed_token_type":
      return `The app may not do that: add the scope ${needed ?? "of its manifest"}, and install it again`;
    case "msg_too_long":
    case "msg_blocks_too_long":
      return "The message is too long for Slack";
    case "messages_tab_disabled":
      return "Nobody can write to the app: switch on its Messages tab under App Home";
    case "user_not_found":
    case "user_disabled":
    case "user_not_visible":
      return "Slack does not know this member, or no longer";
    case "no_permission":
    case "ekm_access_denied":
    case "posting_to_channel_denied":
      return "The workspace does not let the app write there: ask one of its administrators";
    default:
      if (!error.startsWith("restricted_action")) return undefined;
      return "The channel does not let the app write there: ask one of its administrators";
  }
}
