import { z } from "zod";
import { log } from "../../lib/log.ts";
import { settingName, settingValue } from "../account-fields.ts";
import type { InboundMessage, ReceiveResult } from "../channel.ts";
import { callPlatform } from "../platform-call.ts";
import { bearerToken, type KeySource, type PublishedKeys, verifySignedToken } from "../signed-token.ts";
import { announcesTooMuch, parseJson, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import { below, type GooglechatContext } from "./account.ts";
import { readEvent } from "./event.ts";
import { pressedButton, toInbound } from "./inbound.ts";

/** Google Chat itself, as the issuer of a token or as the account that it is for. */
const CHAT = "chat@system.gserviceaccount.com";
const GOOGLE = ["https://accounts.google.com", "accounts.google.com"];

/** Receives one call of Google Chat: verified, then parsed. */
export async function receive(request: Request, context: GooglechatContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request);
  if (wrongMethod) return wrongMethod;
  if (announcesTooMuch(request)) return refuseSize();
  const refusal = await refuseStranger(request, context);
  if (refusal) return refusal;
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  const json = parseJson(body);
  if (json === undefined) return refuse("invalid_request", "The body is not JSON.");
  const event = readEvent(json);
  switch (event.kind) {
    case "invalid":
      return refuse("invalid_request", `Not an event of Google Chat: ${event.problem}`);
    case "other":
      return silence(event.reason);
    case "press":
      return handOver(pressedButton(event.press));
    case "message": {
      const { botUser, allowBots } = context.account;
      const message = toInbound(event.message, event.space, botUser);
      if (message.sender.id === botUser) return silence("a message of the app");
      if (message.sender.isBot && !allowBots) return silence("another app wrote it");
      if (message.text === "" && message.quoted === undefined && message.attachments.length === 0) {
        return silence("it has no content");
      }
      return handOver(message);
    }
  }
}

/** The answer is a message of the app: an empty one is none. */
function noMessage(): Response {
  return Response.json({});
}

function silence(reason: string): ReceiveResult {
  return { kind: "answered", reason, response: noMessage() };
}

function handOver(message: InboundMessage): ReceiveResult {
  return { kind: "events", events: [message], answer: noMessage };
}

/**
 * Refuses who is not Google Chat. Tokens for a project number are Chat's own; those for an address are Google's, which
 * anybody can have, and name the account that they were made for.
 * @see https://developers.google.com/workspace/chat/verify-requests-from-chat
 */
async function refuseStranger(request: Request, context: GooglechatContext): Promise<ReceiveResult | undefined> {
  const { account, accountId, secret } = context;
  const audience = settingValue(account.audience, { secret });
  if (!audience) {
    const name = settingName(account.audience, "audience");
    log("error", "channel.not_configured", { channel: "googlechat", accountId, variable: name });
    return refuse("unauthorized", `Set ${name} to the project number or the endpoint URL.`);
  }
  const isProject = /^\d+$/.test(audience);
  const source = isProject ? chatKeys(context) : googleKeys(context);
  const rules = { issuer: isProject ? CHAT : GOOGLE, audience, now: context.now() };
  const verified = await verifySignedToken(bearerToken(request), source, rules);
  if (verified.kind === "unavailable") return refuse("unavailable", "Google's keys cannot be read.");
  if (verified.kind === "invalid") return refuse("unauthorized", `The token is not valid: ${verified.reason}.`);
  if (isProject) return undefined;
  const { email, email_verified: isVerified } = verified.claims;
  if (isVerified === true && email === (settingValue(account.addOnAccount, { secret }) || CHAT)) return undefined;
  return refuse("unauthorized", "The token is of another account than Google Chat's.");
}

/** Chat's own keys, in certificates. */
function chatKeys(context: GooglechatContext): KeySource {
  return keySource(context, `service_accounts/v1/metadata/x509/${CHAT}`, (json) => {
    const certificates = z.record(z.string(), z.string()).safeParse(json).data;
    return certificates && new Map(Object.entries(certificates).map(([kid, certificate]) => [kid, { certificate }]));
  });
}

/** Google's keys, as a key set. */
function googleKeys(context: GooglechatContext): KeySource {
  return keySource(context, "oauth2/v3/certs", (json) => {
    const keys = keySet.safeParse(json).data?.keys;
    return keys && new Map(keys.map((jwk) => [jwk.kid, { jwk }]));
  });
}

const keySet = z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })) });

function keySource(
  context: GooglechatContext,
  path: string,
  parse: (json: unknown) => PublishedKeys | undefined,
): KeySource {
  const url = below(context.account.keysBase, path);
  return {
    ...{ url, fetch: context.fetch },
    async read(signal) {
      const answer = await callPlatform(context, { url, method: "GET" }, signal);
      return answer.kind === "ok" ? parse(answer.json) : undefined;
    },
  };
}
