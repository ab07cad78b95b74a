import { shortDigest } from "../lib/digest.ts";
import type { PlatformAnswer } from "./platform-call.ts";

/** A platform's access token, and until when it may be used, in milliseconds since the epoch. */
export interface AccessToken {
  value: string;
  expiresAt: number;
}

type Failure = Exclude<PlatformAnswer, { kind: "ok" }>;

/** Most tokens that an isolate remembers. */
const MAX_TOKENS = 200;
/** A token is renewed this long before it expires. */
const MARGIN_MS = 60_000;

const remembered = new Map<string, AccessToken>();

/**
 * An access token that a platform hands out for an account's secret, from this isolate's memory or by a request.
 * @param owner what the token belongs to: platform, address, account and secret; only its digest is kept
 * @param request asks the platform for a new one; its failure is returned
 */
export async function accessToken(
  owner: readonly string[],
  now: number,
  request: () => Promise<AccessToken | Failure>,
): Promise<string | Failure> {
  const key = await shortDigest(JSON.stringify(owner));
  const known = remembered.get(key);
  if (known !== undefined && known.expiresAt - MARGIN_MS > now) return known.value;
  const fresh = await request();
  if ("kind" in fresh) return fresh;
  if (remembered.size >= MAX_TOKENS) remembered.clear();
  remembered.set(key, fresh);
  return fresh.value;
}

/** Forgets a token that the platform has refused, so that the next request gets a new one. */
async function dropAccessToken(owner: readonly string[]): Promise<void> {
  remembered.delete(await shortDigest(JSON.stringify(owner)));
}

/** How a request is made with an access token. */
export interface TokenUse<Answer> {
  /** As in `accessToken`. */
  request: () => Promise<AccessToken | Failure>;
  call: (token: string) => Promise<Answer>;
  /** Whether an answer refuses the token: nothing else of the request was done then. */
  isTokenRefused: (answer: Answer) => boolean;
}

/** Whether a platform that says so by the status has refused the token. */
export function isUnauthorized(answer: PlatformAnswer): boolean {
  return answer.kind === "refused" && answer.status === 401;
}

/** Whether a platform that says so by a code of its own has refused the token. */
export function hasCode(codes: ReadonlySet<unknown>): (answer: object) => boolean {
  return (answer) => "code" in answer && codes.has(answer.code);
}

/** Makes a request with an access token, and once more with a new one where the token is refused. */
export async function withAccessToken<Answer>(
  owner: readonly string[],
  now: number,
  { request, call, isTokenRefused }: TokenUse<Answer>,
): Promise<Answer | Failure> {
  const token = await accessToken(owner, now, request);
  if (typeof token !== "string") return token;
  const answer = await call(token);
  if (!isTokenRefused(answer)) return answer;
  await dropAccessToken(owner);
  const renewed = await accessToken(owner, now, request);
  return typeof renewed === "string" ? call(renewed) : renewed;
}
