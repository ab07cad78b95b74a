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
import type { WecomContext, WecomCredentials } from "./account.ts";

/** A request to WeCom's API, below `cgi-bin`. */
export interface WecomRequest extends Pick<PlatformRequest, "method" | "body"> {
  path: string;
  query?: Record<string, string>;
}

/** An answer of WeCom; `code` is its own. */
export type WecomAnswer = CodedAnswer;

/** Calls WeCom as the application, with a new token where the one in hand is refused. Never throws. */
export function callWecom(
  context: WecomContext,
  credentials: WecomCredentials,
  request: WecomRequest,
  signal: AbortSignal,
): Promise<WecomAnswer> {
  return withToken(context, credentials, signal, async (token) => {
    const call = platformRequest(context, { ...request, query: { access_token: token, ...request.query } }, [token]);
    return judge(await callPlatform(context, call, signal), [token]);
  });
}

/** Gets a file from WeCom as the application. Never throws. */
export function downloadFromWecom(
  context: WecomContext,
  credentials: WecomCredentials,
  mediaId: string,
  signal: AbortSignal,
): Promise<PlatformFile | WecomAnswer> {
  return withToken<PlatformFile>(context, credentials, signal, async (token) => {
    const query = { access_token: token, media_id: mediaId };
    const call = platformRequest(context, { path: "media/get", method: "GET", query }, [token]);
    const sent = await downloadFromPlatform(context, call, signal);
    return sent.kind === "file" ? sent : judge(sent, [token]);
  });
}

function withToken<Answer extends object>(
  context: WecomContext,
  credentials: WecomCredentials,
  signal: AbortSignal,
  call: (token: string) => Promise<Answer | WecomAnswer>,
): Promise<Answer | WecomAnswer> {
  const owner = ["wecom", context.account.apiBase, credentials.corpId, credentials.secret];
  const request = () => requestToken(context, credentials, signal);
  return withAccessToken<Answer | WecomAnswer>(owner, context.now(), { request, call, isTokenRefused });
}

/** The codes of a token that is unknown or has run out. */
const isTokenRefused = hasCode(new Set([40014, 42001]));

const tokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number() });

async function requestToken(context: WecomContext, { corpId, secret }: WecomCredentials, signal: AbortSignal) {
  const query = { corpid: corpId, corpsecret: secret };
  const request = platformRequest(context, { path: "gettoken", method: "GET", query }, [secret]);
  const answer = beforeSending(judge(await callPlatform(context, request, signal), [secret]));
  if (answer.kind !== "ok") return answer;
  const read = tokenAnswer.safeParse(answer.json).data;
  if (read === undefined) return { kind: "unreached", reason: "the answer has no token" } as const;
  return { value: read.access_token, expiresAt: context.now() + read.expires_in * 1000 };
}

function platformRequest(
  { account }: Pick<WecomContext, "account">,
  { path, query = {}, ...rest }: WecomRequest,
  secrets: readonly string[],
): PlatformRequest {
  const url = `${account.apiBase.replace(/\/+$/, "")}/cgi-bin/${path}?${new URLSearchParams(query)}`;
  return { url, ...rest, secrets };
}

const envelope = z.object({ errcode: z.int(), errmsg: z.string().default(""), invaliduser: z.string().optional() });

/** WeCom refuses with 200. */
function judge(sent: PlatformAnswer, secrets: readonly string[]): WecomAnswer {
  const said = "json" in sent ? envelope.safeParse(sent.json).data : undefined;
  const answer = refusedIf(sent, () => {
    if (said === undefined) return undefined;
    const { errcode, errmsg, invaliduser = "" } = said;
    if (errcode === 0) return invaliduser === "" ? undefined : { status: 400, description: "invaliduser (81013)" };
    // Without the hint, which is about the request's log and may repeat it.
    const words = withoutSecrets(errmsg.replace(/,? hint: \[[^\]]*\]/, ""), secrets);
    return { description: `${words} (${errcode})`, ...statusOf(errcode) };
  });
  if (answer.kind === "ok" && said === undefined) return { kind: "lost", reason: "the answer could not be read" };
  if (answer.kind !== "refused" || said === undefined) return answer;
  return { ...answer, code: said.errcode === 0 ? 81013 : said.errcode };
}

/** How long to wait where too much was asked for: WeCom counts by the minute. */
const BUSY_MS = 60_000;

function statusOf(code: number): { status: number; retryAfterMs?: number } {
  if (code === -1) return { status: 503 };
  return code === 45009 || code === 45033 ? { status: 429, retryAfterMs: BUSY_MS } : { status: 400 };
}
