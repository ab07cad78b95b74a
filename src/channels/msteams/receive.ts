import { z } from "zod";
import { log } from "../../lib/log.ts";
import type { InboundOutcome, ReceiveResult } from "../channel.ts";
import { callPlatform } from "../platform-call.ts";
import { bearerToken, type KeySource, type PublishedKey, verifySignedToken } from "../signed-token.ts";
import { announcesTooMuch, ignore, parseJson, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import { botLogin, isConnector, loginMissing, type MsteamsContext } from "./account.ts";
import { type Activity, readActivity } from "./activity.ts";
import { toInbound } from "./inbound.ts";

const ISSUER = "https://api.botframework.com";
const CHANNEL = "msteams";

/** Receives one call of the Bot Framework: verified, then parsed. */
export async function receive(request: Request, context: MsteamsContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request);
  if (wrongMethod) return wrongMethod;
  if (announcesTooMuch(request)) return refuseSize();
  const login = botLogin(context);
  if (login === undefined) {
    log("error", "channel.not_configured", { channel: CHANNEL, accountId: context.accountId });
    return refuse("unauthorized", loginMissing(context.account));
  }
  const rules = { issuer: ISSUER, audience: login.appId, now: context.now() };
  const verified = await verifySignedToken(bearerToken(request), botFrameworkKeys(context), rules);
  if (verified.kind === "unavailable") return refuse("unavailable", "The Bot Framework's keys cannot be read.");
  if (verified.kind === "invalid") return refuse("unauthorized", `The token is not valid: ${verified.reason}.`);
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  const json = parseJson(body);
  if (json === undefined) return refuse("invalid_request", "The body is not JSON.");
  const read = readActivity(json);
  if (read.kind === "invalid") return refuse("invalid_request", `Not an activity: ${read.problem}`);
  const { serviceUrl, channelId } = read;
  // An app that was removed may have no address.
  if (serviceUrl !== undefined && serviceUrl !== verified.claims.serviceurl) {
    return refuse("unauthorized", "The token is for another service address.");
  }
  if (!isEndorsed(verified.key, channelId)) return refuse("unauthorized", `The key is not one for ${channelId}.`);
  if (channelId !== CHANNEL) return ignore(`an activity of ${channelId}, not of Teams`);
  if (read.kind === "other") return ignore(read.reason);
  if (!isConnector(read.serviceUrl, context.account)) {
    return refuse("unauthorized", "The service address is not Microsoft's: if it is yours, set it as serviceUrl.");
  }
  return handOver(read.activity, context.account.allowBots);
}

function handOver(activity: Activity, allowsBots: boolean): ReceiveResult {
  const event = toInbound(activity);
  const isInvoked = activity.type === "invoke";
  if (event.kind !== "ignored" && event.sender.isBot && !allowsBots) return ignore("another bot wrote it");
  if (event.kind !== "ignored") {
    return { kind: "events", events: [event], ...(isInvoked && { answer: invokeResponse }) };
  }
  return { kind: "answered", reason: event.reason, ...(isInvoked && { response: Response.json({}) }) };
}

/** Answers the press of a button that waits for an answer, with a line that only who pressed it sees. */
function invokeResponse([outcome]: readonly InboundOutcome[]): Response {
  const value = outcome?.kind === "accepted" ? "Done." : "This was not taken up.";
  return Response.json({ statusCode: 200, type: "application/vnd.microsoft.activity.message", value });
}

/** A key of the Bot Framework signs for the channels that it names. */
function isEndorsed(key: PublishedKey, channelId: string): boolean {
  return "jwk" in key && Array.isArray(key.jwk.endorsements) && key.jwk.endorsements.includes(channelId);
}

const openId = z.object({ jwks_uri: z.url({ protocol: /^https?$/ }) });
const keySet = z.object({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.string() })) });

/** The keys that the OpenID document leads to. */
function botFrameworkKeys(context: MsteamsContext): KeySource {
  const { openIdUrl: url } = context.account;
  return {
    ...{ url, fetch: context.fetch },
    async read(signal) {
      const get = async (from: string) => {
        const answer = await callPlatform(context, { url: from, method: "GET" }, signal);
        return answer.kind === "ok" ? answer.json : undefined;
      };
      const address = openId.safeParse(await get(url)).data?.jwks_uri;
      const keys = address === undefined ? undefined : keySet.safeParse(await get(address)).data?.keys;
      return keys && new Map(keys.map((jwk) => [jwk.kid, { jwk }]));
    },
  };
}
