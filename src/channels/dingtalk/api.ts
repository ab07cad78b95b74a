import { z } from "zod";
import { withAccessToken } from "../access-tokens.ts";
import {
  beforeSending,
  type CodedAnswer,
  callPlatform,
  type PlatformAnswer,
  type PlatformRequest,
  refusedIf,
  withoutSecrets,
} from "../platform-call.ts";
import type { DingtalkContext, DingtalkCredentials } from "./account.ts";

/** An answer of DingTalk; `code` is its own: a number of the older API, a word of the newer. */
export type DingtalkAnswer = CodedAnswer<string | number>;

/** Calls DingTalk's API as the app, with a new token where the one in hand is refused. Never throws. */
export function callDingtalk(
  context: DingtalkContext,
  credentials: DingtalkCredentials,
  { path, body }: { path: string; body: object },
  signal: AbortSignal,
): Promise<DingtalkAnswer> {
  return withToken(context, credentials, signal, async (token) => {
    const headers = { "x-acs-dingtalk-access-token": token };
    const request = { url: `${base(context.account.apiBase)}/v1.0/${path}`, headers, body, secrets: [token] };
    return judge(await callPlatform(context, request, signal), [token]);
  });
}

/** Uploads a file as the app. Never throws. */
export function uploadToDingtalk(
  context: DingtalkContext,
  credentials: DingtalkCredentials,
  { type, file }: { type: "image" | "voice" | "video" | "file"; file: File },
  signal: AbortSignal,
): Promise<DingtalkAnswer> {
  return withToken(context, credentials, signal, async (token) => {
    const body = new FormData();
    body.set("media", file);
    const query = new URLSearchParams({ access_token: token, type });
    const request = { url: `${base(context.account.oapiBase)}/media/upload?${query}`, body, secrets: [token] };
    return judge(await callPlatform(context, request, signal), [token]);
  });
}

/** Posts to the address that came with a message. Never throws. */
export async function postToAddress(
  context: DingtalkContext,
  address: string,
  body: object,
  signal: AbortSignal,
): Promise<DingtalkAnswer> {
  const secrets = [address, ...new URL(address).searchParams.values()];
  return judge(await callPlatform(context, { url: address, body, secrets }, signal), secrets);
}

function withToken(
  context: DingtalkContext,
  credentials: DingtalkCredentials,
  signal: AbortSignal,
  call: (token: string) => Promise<DingtalkAnswer>,
): Promise<DingtalkAnswer> {
  const owner = ["dingtalk", context.account.apiBase, credentials.clientId, credentials.clientSecret];
  const request = () => requestToken(context, credentials, signal);
  return withAccessToken<DingtalkAnswer>(owner, context.now(), { request, call, isTokenRefused });
}

/** The codes of a token that is unknown or has run out. */
const TOKEN_CODES: ReadonlySet<string | number | undefined> = new Set(["InvalidAuthentication", 40014, 42001]);

function isTokenRefused(answer: DingtalkAnswer): boolean {
  return answer.kind === "refused" && TOKEN_CODES.has(answer.code);
}

const tokenAnswer = z.object({ accessToken: z.string().min(1), expireIn: z.number() });

/** Asks for an access token. */
export async function requestToken(
  context: DingtalkContext,
  { clientId, clientSecret }: DingtalkCredentials,
  signal: AbortSignal,
) {
  const body = { appKey: clientId, appSecret: clientSecret };
  const request: PlatformRequest = {
    url: `${base(context.account.apiBase)}/v1.0/oauth2/accessToken`,
    ...{ body, secrets: [clientSecret] },
  };
  const answer = beforeSending(judge(await callPlatform(context, request, signal), [clientSecret]));
  if (answer.kind !== "ok") return answer;
  const read = tokenAnswer.safeParse(answer.json).data;
  if (read === undefined) return { kind: "unreached", reason: "the answer has no token" } as const;
  return { value: read.accessToken, expiresAt: context.now() + read.expireIn * 1000 };
}

/** The older API refuses with 200 and a number, the newer with a status and a word. */
const refusal = z.union([
  z.object({ errcode: z.number(), errmsg: z.string().default("") }).transform(({ errcode, errmsg }) => ({
    code: errcode,
    message: errmsg,
  })),
  z.object({ code: z.string(), message: z.string().default("") }),
]);

function judge(sent: PlatformAnswer, secrets: readonly string[]): DingtalkAnswer {
  if (sent.kind === "ok" && typeof sent.json !== "object")
    return { kind: "lost", reason: "the answer could not be read" };
  const said = "json" in sent ? refusal.safeParse(sent.json).data : undefined;
  const answer = refusedIf(sent, () =>
    said === undefined || said.code === 0 ? undefined : { status: 400, description: "" },
  );
  if (answer.kind !== "refused" || said === undefined) return answer;
  const { code } = said;
  const description = `${withoutSecrets(said.message, secrets).slice(0, MAX_WORDS)} (${code})`;
  return { ...answer, code, description, ...(isBusy(code) && { status: 429, retryAfterMs: BUSY_MS }) };
}

const MAX_WORDS = 250;
/** How long to wait where too much was asked for: DingTalk counts by the minute. */
const BUSY_MS = 60_000;

function isBusy(code: string | number): boolean {
  if (typeof code === "string") return /throttling|QpsLimit|flowControl|TooManyRequests/i.test(code);
  return [-1, 130101, 410100, 90018, 90002].includes(code);
}

/** An address without a slash at its end. */
function base(address: string): string {
  return address.replace(/\/+$/, "");
}
