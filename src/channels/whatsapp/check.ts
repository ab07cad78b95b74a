import { z } from "zod";
import { sanitizeForPrompt } from "../../security/sanitize.ts";
import type { ChannelFinding, ConnectOptions } from "../channel.ts";
import { type Credentials, credentials, credentialsMissing, type WhatsAppContext } from "./account.ts";
import { callGraph, type GraphAnswer } from "./graph-api.ts";
import { inWords } from "./graph-error.ts";

const numberFields = z.object({
  display_phone_number: z.string().optional(),
  verified_name: z.string().optional(),
  quality_rating: z.string().optional(),
  webhook_configuration: z
    .object({
      phone_number: z.string().optional(),
      whatsapp_business_account: z.string().optional(),
      application: z.string().optional(),
    })
    .optional(),
});

type NumberFields = z.output<typeof numberFields>;

const FIELDS = "display_phone_number,verified_name,quality_rating,webhook_configuration";

/** Checks an account's variables, its token and number, and which address Meta calls. */
export async function checkAccount(
  context: WhatsAppContext,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const missing = missingSecrets(context);
  const found = credentials(context);
  if (found === undefined) {
    const fix = "See API Setup of the app in Meta's App Dashboard.";
    return [...missing, { status: "fail", message: credentialsMissing(context.account), fix }];
  }
  const number = await askNumber(context, found, signal);
  if ("status" in number) return [...missing, number];
  return [aboutNumber(number), ...missing, aboutAddress(number, webhookUrl), ...aboutQuality(number)];
}

function missingSecrets({ account, secret }: WhatsAppContext): ChannelFinding[] {
  const { appSecret, verifyToken } = account;
  const findings: ChannelFinding[] = [];
  if (!secret(appSecret)) {
    const fix = `Copy the app secret from App settings, Basic: wrangler secret put ${appSecret.id}.`;
    findings.push({ status: "fail", message: `every message is refused, because ${appSecret.id} is not set.`, fix });
  }
  if (!secret(verifyToken)) {
    const fix = `Make up a word, and set it here and in the app's webhook: wrangler secret put ${verifyToken.id}.`;
    findings.push({ status: "fail", message: `Meta cannot check the webhook: ${verifyToken.id} is not set.`, fix });
  }
  return findings;
}

async function askNumber(
  context: WhatsAppContext,
  found: Credentials,
  signal: AbortSignal,
): Promise<NumberFields | ChannelFinding> {
  const path = `${found.phoneNumberId}?fields=${FIELDS}`;
  const answer = await callGraph(context, found, { path, method: "GET" }, signal);
  const number = answer.kind === "ok" ? numberFields.safeParse(answer.json).data : undefined;
  return number ?? problem(answer, context);
}

/** The finding for a failed call. */
function problem(answer: GraphAnswer, { account }: WhatsAppContext): ChannelFinding {
  if (answer.kind === "refused" && answer.error) {
    const fix = "Compare the variables with API Setup of the app in Meta's App Dashboard.";
    return { status: "fail", message: `Meta answers: ${inWords(answer.error, account)}`, fix };
  }
  const why =
    answer.kind === "ok" ? "its answer cannot be read" : answer.kind === "refused" ? answer.description : answer.reason;
  return { status: "warn", message: `Meta does not answer: ${why}.`, fix: "Try again in a moment, and check apiBase." };
}

function aboutNumber({ display_phone_number: number = "unknown", verified_name: name = "no name" }: NumberFields) {
  return { status: "ok", message: `the number is ${printable(number)} (${printable(name)}).` } as const;
}

/** Meta calls the address of the number, else that of the account, else that of the app. */
function aboutAddress({ webhook_configuration: set = {} }: NumberFields, expected: string): ChannelFinding {
  const called = calledAddress(set);
  const fix = `Set the callback URL to ${expected} in the app's WhatsApp configuration, and subscribe to messages.`;
  if (called === expected) return { status: "ok", message: "Meta calls this Worker." };
  if (called === undefined) return { status: "fail", message: "Meta calls nowhere: no webhook is set.", fix };
  if (!expected.startsWith("https:")) {
    const message = `Meta cannot call ${expected}, and calls elsewhere.`;
    return { status: "warn", message, fix: "Deploy, or use an https tunnel, and check that address." };
  }
  const message = `Meta calls another address, ${printable(called)}.`;
  return { status: "warn", message, fix: `If that is not this Worker: ${fix}` };
}

function calledAddress(set: NonNullable<NumberFields["webhook_configuration"]>): string | undefined {
  return set.phone_number || set.whatsapp_business_account || set.application || undefined;
}

function aboutQuality({ quality_rating: rating }: NumberFields): ChannelFinding[] {
  if (rating !== "RED") return [];
  const fix = "See the number in WhatsApp Manager: people block it or report it.";
  return [{ status: "warn", message: "Meta rates the number's quality as low, and may restrict it.", fix }];
}

/**
 * Points the number's webhook to this Worker, which Meta checks at once, and subscribes the app to the account, where
 * its id is configured.
 */
export async function connectAccount(
  context: WhatsAppContext,
  { webhookUrl, takeOver }: ConnectOptions,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  const missing = missingSecrets(context);
  const found = credentials(context);
  const word = context.secret(context.account.verifyToken);
  if (found === undefined || !word || missing.length > 0) return checkAccount(context, webhookUrl, signal);
  const number = await askNumber(context, found, signal);
  if ("status" in number) return [number];
  const { businessAccountId } = context.account;
  const subscribed =
    businessAccountId === undefined ? [] : [await subscribe(context, found, businessAccountId, signal)];
  const set = number.webhook_configuration?.phone_number;
  if (set === webhookUrl) return [...subscribed, { status: "ok", message: "Meta calls this Worker." }];
  if (set && !takeOver) {
    const message = `the number's webhook is set to another address, ${printable(set)}.`;
    return [...subscribed, { status: "warn", message, fix: "Connect again, and take it over." }];
  }
  const body = { webhook_configuration: { override_callback_uri: webhookUrl, verify_token: word } };
  const answer = await callGraph(context, found, { path: found.phoneNumberId, body, secrets: [word] }, signal);
  if (answer.kind !== "ok") return [...subscribed, problem(answer, context)];
  return [...subscribed, { status: "ok", message: `Meta calls ${webhookUrl} for this number from now on.` }];
}

async function subscribe(
  context: WhatsAppContext,
  found: Credentials,
  accountId: string,
  signal: AbortSignal,
): Promise<ChannelFinding> {
  const answer = await callGraph(context, found, { path: `${accountId}/subscribed_apps` }, signal);
  if (answer.kind !== "ok") return problem(answer, context);
  return { status: "ok", message: "the app is subscribed to the WhatsApp Business Account." };
}

function printable(text: string): string {
  return sanitizeForPrompt(text).slice(0, 200);
}
