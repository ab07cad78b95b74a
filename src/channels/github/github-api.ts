import { importPKCS8, SignJWT } from "jose";
import { z } from "zod";
import { type AccessToken, isUnauthorized, withAccessToken } from "../access-tokens.ts";
import { callPlatform, type PlatformAnswer, type PlatformRequest } from "../platform-call.ts";
import type { GithubContext, GithubLogin } from "./account.ts";
import { asPkcs8 } from "./private-key.ts";

type Failure = Exclude<PlatformAnswer, { kind: "ok" }>;
type AppLogin = Extract<GithubLogin, { kind: "app" }>;

/** GitHub takes an app's own token for ten minutes, and its clock may be behind. */
const APP_TOKEN_SEC = 9 * 60;
const CLOCK_DRIFT_SEC = 60;
/** GitHub asks to wait at least so long at a limit that names no time. */
const LIMIT_MS = 60_000;

/** A call of the REST API. */
export interface GithubCall {
  method?: PlatformRequest["method"];
  /** Below the base, with a slash. */
  path: string;
  body?: object;
}

/** Where a repository's calls are made: the app's installation there. */
export interface Repository {
  name: string;
  installation: string | undefined;
}

/** Calls GitHub for a repository; with a new token where it does not take the one that is known. Never throws. */
export async function callGithub(
  context: GithubContext,
  login: GithubLogin,
  repository: Repository,
  call: GithubCall,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
  if (login.kind === "user") return request(context, login.token, call, signal);
  const installation = repository.installation ?? (await findInstallation(context, login, repository.name, signal));
  if (typeof installation !== "string") return beforeCall(installation);
  return withAccessToken<PlatformAnswer>(tokenOwner(context, login, installation), context.now(), {
    request: async () => {
      const token = await requestInstallationToken(context, login, installation, signal);
      return "kind" in token ? beforeCall(token) : token;
    },
    call: (token) => request(context, token, call, signal),
    isTokenRefused: isUnauthorized,
  });
}

/** Calls GitHub as the app itself, or as the user. Never throws. */
export async function callAsItself(
  context: GithubContext,
  login: GithubLogin,
  call: GithubCall,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
  if (login.kind === "user") return request(context, login.token, call, signal);
  const token = await appToken(login, context.now());
  if (token === undefined) {
    return { kind: "refused", status: 401, json: undefined, description: "its private key cannot be read" };
  }
  return request(context, token, call, signal);
}

async function request(
  context: GithubContext,
  token: string,
  { method = "GET", path, body }: GithubCall,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
  const url = `${context.account.apiBase.replace(/\/+$/, "")}${path}`;
  const headers = {
    Authorization: `Bearer ${token}`,
    Accept: "application/vnd.github+json",
    "X-GitHub-Api-Version": "2022-11-28",
    // GitHub refuses requests without.
    "User-Agent": "Isopod",
  };
  const sent = { url, method, headers, ...(body && { body }), secrets: [token] };
  return atLimit(await callPlatform(context, sent, signal));
}

/** A limit that GitHub answers with 403. */
function atLimit(answer: PlatformAnswer): PlatformAnswer {
  if (answer.kind !== "refused" || (answer.status !== 403 && answer.status !== 429)) return answer;
  const { retryAfterMs, description, status } = answer;
  const isLimit = status === 429 || retryAfterMs !== undefined || /rate limit|abuse detection/i.test(description);
  return isLimit ? { ...answer, status: 429, retryAfterMs: retryAfterMs ?? LIMIT_MS } : answer;
}

/** The app's own token. */
async function appToken({ appId, privateKey }: AppLogin, now: number): Promise<string | undefined> {
  const at = Math.floor(now / 1000);
  const key = await importPKCS8(asPkcs8(privateKey), "RS256").catch(() => undefined);
  if (key === undefined) return undefined;
  return new SignJWT()
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(appId)
    .setIssuedAt(at - CLOCK_DRIFT_SEC)
    .setExpirationTime(at + APP_TOKEN_SEC)
    .sign(key);
}

const granted = z.object({ token: z.string(), expires_at: z.iso.datetime({ offset: true }) });

async function requestInstallationToken(
  context: GithubContext,
  login: AppLogin,
  installation: string,
  signal: AbortSignal,
): Promise<AccessToken | Failure> {
  const path = `/app/installations/${encodeURIComponent(installation)}/access_tokens`;
  const answer = await callAsItself(context, login, { method: "POST", path }, signal);
  if (answer.kind !== "ok") return answer;
  const token = granted.safeParse(answer.json).data;
  if (token === undefined) return { kind: "lost", reason: "the answer of the login could not be read" };
  return { value: token.token, expiresAt: Date.parse(token.expires_at) };
}

function tokenOwner({ account }: GithubContext, { appId, privateKey }: AppLogin, installation: string): string[] {
  return ["github", account.apiBase, appId, installation, privateKey];
}

const numbered = z.object({ id: z.int() });

/** The app's installation in a repository. */
async function findInstallation(
  context: GithubContext,
  login: AppLogin,
  repository: string,
  signal: AbortSignal,
): Promise<string | Failure> {
  const answer = await callAsItself(context, login, { path: `/repos/${repository}/installation` }, signal);
  if (answer.kind !== "ok") return answer;
  const id = numbered.safeParse(answer.json).data?.id;
  return id === undefined ? { kind: "lost", reason: "the answer could not be read" } : String(id);
}

/** A failure before the call itself, which was surely not made. */
function beforeCall(failure: Failure): Extract<PlatformAnswer, { kind: "refused" | "unreached" }> {
  if (failure.kind !== "refused") return { kind: "unreached", reason: "the app could not log in" };
  return failure.status >= 500 ? { ...failure, status: 503 } : failure;
}
