import { z } from "zod";
import { type AccessToken, accessToken, isUnauthorized, withAccessToken } from "../access-tokens.ts";
import { callPlatform, notLoggedIn, type PlatformAnswer } from "../platform-call.ts";
import { type BotLogin, isConnector, type MsteamsContext } from "./account.ts";

const SCOPE = "https://api.botframework.com/.default";
/** The tenant that bots of several tenants log in at. */
const ANY_TENANT = "botframework.com";

const granted = z.object({ access_token: z.string(), expires_in: z.number() });

type Failure = Exclude<PlatformAnswer, { kind: "ok" }>;

/** The token with which the bot writes, from this isolate's memory or from Microsoft. */
export function botToken(context: MsteamsContext, login: BotLogin, signal: AbortSignal): Promise<string | Failure> {
  return accessToken(tokenOwner(context, login), context.now(), () => logIn(context, login, signal));
}

async function logIn(context: MsteamsContext, login: BotLogin, signal: AbortSignal): Promise<AccessToken | Failure> {
  const now = context.now();
  const { appId, appPassword, tenantId = ANY_TENANT } = login;
  const url = `${context.account.loginUrl.replace(/\/+$/, "")}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  const form = { grant_type: "client_credentials", client_id: appId, client_secret: appPassword, scope: SCOPE };
  const body = new URLSearchParams(form);
  const answer = await callPlatform(context, { url, body, secrets: [appPassword] }, signal);
  if (answer.kind !== "ok") return answer;
  const token = granted.safeParse(answer.json).data;
  if (token === undefined) return { kind: "lost", reason: "the answer of the login could not be read" };
  return { value: token.access_token, expiresAt: now + token.expires_in * 1000 };
}

function tokenOwner({ account }: MsteamsContext, { appId, appPassword, tenantId = ANY_TENANT }: BotLogin): string[] {
  return ["msteams", account.loginUrl, tenantId, appId, appPassword];
}

/** A call of the connector below a conversation's address. */
export interface ConnectorCall {
  /** The address that the conversation is reached at; the account's where absent. */
  via: string | undefined;
  /** Below `v3/`. */
  path: string;
  body: object;
}

/** Calls the connector; with a new token where it does not take the one that is known. Never throws. */
export async function callConnector(
  context: MsteamsContext,
  login: BotLogin,
  { via = context.account.serviceUrl, path, body }: ConnectorCall,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
  if (!isConnector(via, context.account)) {
    const description = `${via} is not an address of Microsoft's, so the bot's token is not sent there`;
    return { kind: "refused", status: 403, json: undefined, description };
  }
  const url = `${via.replace(/\/+$/, "")}/v3/${path}`;
  return withAccessToken<PlatformAnswer>(tokenOwner(context, login), context.now(), {
    request: async () => {
      const token = await logIn(context, login, signal);
      return "kind" in token ? notLoggedIn(token, "the bot could not log in") : token;
    },
    call: (token) =>
      callPlatform(context, { url, headers: { Authorization: `Bearer ${token}` }, body, secrets: [token] }, signal),
    isTokenRefused: isUnauthorized,
  });
}

const refusal = z.object({ error: z.object({ code: z.string() }) });

/** The code by which the connector says why it refuses. */
export function refusalCode(json: unknown): string | undefined {
  return refusal.safeParse(json).data?.error.code;
}
