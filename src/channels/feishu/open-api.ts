import { z } from "zod";
import { hasCode, withAccessToken } from "../access-tokens.ts";
import {
  beforeSending,
  type CodedAnswer,
  callPlatform,
  downloadFromPlatform,
  type PlatformAnswer,
  type PlatformFile,
  type PlatformRequest,
  refusedIf,
  withoutSecrets,
} from "../platform-call.ts";
import type { FeishuAccount, FeishuContext, FeishuCredentials } from "./account.ts";

/** A request to the open platform, below its address. */
export interface FeishuRequest extends Pick<PlatformRequest, "method" | "body"> {
  path: string;
}

/** An answer of the open platform; `code` is its own. */
export type FeishuAnswer = CodedAnswer;

/** Calls the open platform as the app, with a new token where the one in hand is refused. Never throws. */
export async function callFeishu(
  context: FeishuContext,
  credentials: FeishuCredentials,
  request: FeishuRequest,
  signal: AbortSignal,
): Promise<FeishuAnswer> {
  return withToken(context, credentials, signal, async (token) => {
    const call = { ...platformRequest(context.account, request, [token]), ...bearer(token) };
    return judge(await callPlatform(context, call, signal), [token]);
  });
}

/** Gets a file from the open platform as the app, with a new token where the one in hand is refused. Never throws. */
export async function downloadFromFeishu(
  context: FeishuContext,
  credentials: FeishuCredentials,
  path: string,
  signal: AbortSignal,
): Promise<PlatformFile | FeishuAnswer> {
  return withToken(context, credentials, signal, async (token) => {
    const request = { ...platformRequest(context.account, { path, method: "GET" }, [token]), ...bearer(token) };
    const sent = await downloadFromPlatform(context, request, signal);
    return sent.kind === "file" ? sent : judge(sent, [token]);
  });
}

function withToken<Answer extends object>(
  context: FeishuContext,
  credentials: FeishuCredentials,
  signal: AbortSignal,
  call: (token: string) => Promise<Answer | FeishuAnswer>,
): Promise<Answer | FeishuAnswer> {
  const owner = ["feishu", baseUrl(context.account), credentials.appId, credentials.appSecret];
  const request = () => requestToken(context, credentials, signal);
  return withAccessToken<Answer | FeishuAnswer>(owner, context.now(), { request, call, isTokenRefused });
}

/** The codes of a token that is missing, unknown or has run out. */
const isTokenRefused = hasCode(new Set([99991661, 99991663, 99991664, 99991671]));

const tokenAnswer = z.object({ tenant_access_token: z.string().min(1), expire: z.number() });

async function requestToken(context: FeishuContext, { appId, appSecret }: FeishuCredentials, signal: AbortSignal) {
  const path = "auth/v3/tenant_access_token/internal";
  const body = { app_id: appId, app_secret: appSecret };
  const request = platformRequest(context.account, { path, body }, [appSecret]);
  const answer = beforeSending(judge(await callPlatform(context, request, signal), [appSecret]));
  if (answer.kind !== "ok") return answer;
  const read = tokenAnswer.safeParse(answer.json).data;
  if (read === undefined) return { kind: "unreached", reason: "the answer has no token" } as const;
  return { value: read.tenant_access_token, expiresAt: context.now() + read.expire * 1000 };
}

function platformRequest(
  account: FeishuAccount,
  { path, ...rest }: FeishuRequest,
  secrets: readonly string[],
): PlatformRequest {
  const url = `${baseUrl(account)}/open-apis/${path}`;
  return { url, ...rest, secrets, delayHeader: "x-ogw-ratelimit-reset" };
}

function bearer(token: string): Pick<PlatformRequest, "headers"> {
  return { headers: { Authorization: `Bearer ${token}` } };
}

/** Reads the code of an answer: what comes with 200 may be a refusal. */
function judge(sent: PlatformAnswer, secrets: readonly string[]): FeishuAnswer {
  const answer = refusedIf(sent, (json) => {
    const said = envelope.safeParse(json).data;
    if (said === undefined || said.code === 0) return undefined;
    return { status: 400, description: withoutSecrets(said.msg, secrets) };
  });
  if (answer.kind === "refused") return withCode(answer);
  if (answer.kind !== "ok" || envelope.safeParse(answer.json).success) return answer;
  return { kind: "lost", reason: "the answer could not be read" };
}

const envelope = z.object({ code: z.int(), msg: z.string().default("") });

/** The codes of too many requests, which may come with 400 or 200. */
const BUSY_CODES: ReadonlySet<number> = new Set([99991400, 230020, 11232, 11247]);

function withCode(refused: Extract<PlatformAnswer, { kind: "refused" }>): FeishuAnswer {
  const code = envelope.safeParse(refused.json).data?.code;
  if (code === undefined) return refused;
  return {
    ...refused,
    code,
    status: BUSY_CODES.has(code) ? 429 : refused.status,
    description: `${refused.description} (${code})`,
  };
}

/** The address of the open platform, without a slash at its end. */
function baseUrl({ domain }: FeishuAccount): string {
  if (domain === "feishu") return "https://open.feishu.cn";
  return domain === "lark" ? "https://open.larksuite.com" : domain.replace(/\/+$/, "");
}
