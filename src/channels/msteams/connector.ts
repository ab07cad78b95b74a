import { z } from "zod";
import { accessToken, dropAccessToken } from "../access-tokens.ts";
import { callPlatform, type PlatformAnswer } from "../platform-call.ts";
import { type BotLogin, isConnector, type MsteamsContext } from "./account.ts";

const SCOPE = "https://api.botframework.com/.default";
/** The tenant that bots of several tenants log in at. */
const ANY_TENANT = "botframework.com";

const granted = z.object({ access_token: z.string(), expires_in: z.number() });

type Failure = Exclude<PlatformAnswer, { kind: "ok" }>;

/** The token with which the bot writes, from this isolate's memory or from Microsoft. */
export function botToken(context: MsteamsContext, login: BotLogin, signal: AbortSignal): Promise<string | Failure> {
  const now = context.now();
  return accessToken(tokenOwner(context, login), now, async () => {
    const { appId, appPassword, tenantId = ANY_TENANT } = login;
    const url = `${context.account.loginUrl.replace(/\/+$/, "")}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
    const form = { grant_type: "client_credentials", client_id: appId, client_secret: appPassword, scope: SCOPE };
    const answer = await callPlatform(
      context,
      { url, body: new URLSearchParams(form), secrets: [appPassword] },
      signal,
    );
    if (answer.kind !== "ok") return answer;
    const token = granted.safeParse(answer.json).data;
    if (token === undefined) return { kind: "lost", reason: "the answer of the login could not be read" };
    return { value: token.access_token, expiresAt: now + token.expires_in * 1000 };
  });
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
  const attempt = async () => {
    const token = await botToken(context, login, signal);
    if (typeof token !== "string") return notLoggedIn(token);
    return callPlatform(
      context,
      { url, headers: { Authorization: `Bearer ${token}` }, body, secrets: [token] },
      signal,
    );
  };
  const answer = await attempt();
  if (answer.kind !== "refused" || answer.status !== 401 || isLoginRefusal(answer)) return answer;
  await dropAccessToken(tokenOwner(context, login));
  return attempt();
}

/** A failed login as the answer to a message, which was surely not sent. */
function notLoggedIn(failure: Failure): PlatformAnswer {
  if (failure.kind !== "refused") return { kind: "unreached", reason: "the bot could not log in" };
  const isForNow = failure.status === 429 || failure.status >= 500;
  return { ...failure, status: isForNow ? 503 : 401, json: LOGIN_REFUSED };
}

const LOGIN_REFUSED = { error: { code: "LoginRefused" } };

function isLoginRefusal({ json }: Extract<PlatformAnswer, { kind: "refused" }>): boolean {
  return json === LOGIN_REFUSED;
}

const refusal = z.object({ error: z.object({ code: z.string() }) });

/** The code by which the connector says why it refuses. */
export function refusalCode(json: unknown): string | undefined {
  return refusal.safeParse(json).data?.error.code;
}
