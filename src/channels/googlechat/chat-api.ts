import { importPKCS8, SignJWT } from "jose";
import { z } from "zod";
import { type AccessToken, accessToken, isUnauthorized, withAccessToken } from "../access-tokens.ts";
import { callPlatform, notLoggedIn, type PlatformAnswer } from "../platform-call.ts";
import { below, type GooglechatContext } from "./account.ts";

const SCOPE = "https://www.googleapis.com/auth/chat.bot";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** The longest that Google accepts. */
const ASSERTION_SEC = 3600;

type Failure = Exclude<PlatformAnswer, { kind: "ok" }>;

const key = z.object({ client_email: z.string(), private_key: z.string() });

/** The key of a service account. */
export type ServiceAccountKey = z.output<typeof key>;

/** The account's key; what is wrong with it otherwise, in words. */
export function serviceAccountKey({ account, secret }: GooglechatContext): ServiceAccountKey | string {
  const { id } = account.serviceAccount;
  const value = secret(account.serviceAccount);
  if (!value) return `Set ${id} to the JSON key of the app's service account.`;
  return key.safeParse(parse(value)).data ?? `${id} is not the JSON key of a service account: copy the whole file.`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The token with which the app calls the Chat API, from this isolate's memory or from Google. */
export function appToken(
  context: GooglechatContext,
  account: ServiceAccountKey,
  signal: AbortSignal,
): Promise<string | Failure> {
  return accessToken(tokenOwner(context, account), context.now(), () => logIn(context, account, signal));
}

async function logIn(
  context: GooglechatContext,
  account: ServiceAccountKey,
  signal: AbortSignal,
): Promise<AccessToken | Failure> {
  const now = context.now();
  const { tokenUrl: url } = context.account;
  const assertion = await signAssertion(account, url, now);
  if (assertion === undefined) {
    return { kind: "refused", status: 401, json: undefined, description: "its private key cannot be read" };
  }
  const body = new URLSearchParams({ grant_type: GRANT, assertion });
  const answer = await callPlatform(context, { url, body, secrets: [assertion] }, signal);
  if (answer.kind !== "ok") return answer;
  const token = granted.safeParse(answer.json).data;
  if (token === undefined) return { kind: "lost", reason: "the answer of the login could not be read" };
  return { value: token.access_token, expiresAt: now + token.expires_in * 1000 };
}

const granted = z.object({ access_token: z.string(), expires_in: z.number() });

function tokenOwner({ account }: GooglechatContext, { client_email, private_key }: ServiceAccountKey): string[] {
  return ["googlechat", account.tokenUrl, client_email, private_key];
}

async function signAssertion(
  { client_email, private_key }: ServiceAccountKey,
  audience: string,
  now: number,
): Promise<string | undefined> {
  const at = Math.floor(now / 1000);
  const signingKey = await importPKCS8(private_key, "RS256").catch(() => undefined);
  if (signingKey === undefined) return undefined;
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(client_email)
    .setAudience(audience)
    .setIssuedAt(at)
    .setExpirationTime(at + ASSERTION_SEC)
    .sign(signingKey);
}

/** A call of the Chat API. */
export interface ChatCall {
  method: "GET" | "POST";
  /** Below `/v1/`, with the query. */
  path: string;
  body?: object;
}

/** Calls the Chat API; with a new token where Google does not take the one that is known. Never throws. */
export async function callChat(
  context: GooglechatContext,
  account: ServiceAccountKey,
  { method, path, body }: ChatCall,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
  const url = below(context.account.apiBase, `v1/${path}`);
  return withAccessToken<PlatformAnswer>(tokenOwner(context, account), context.now(), {
    request: async () => {
      const token = await logIn(context, account, signal);
      return "kind" in token ? notLoggedIn(token, "the app could not log in") : token;
    },
    call: (token) => {
      const headers = { Authorization: `Bearer ${token}` };
      return callPlatform(context, { url, method, headers, ...(body && { body }), secrets: [token] }, signal);
    },
    isTokenRefused: isUnauthorized,
  });
}
