import type { ApiResponse, Opts } from "@grammyjs/types";
import { z } from "zod";
import { IsopodError, messageOf } from "../../lib/errors.ts";
import type { TelegramAccount, TelegramContext } from "./account.ts";

/** The methods used here, with the Bot API's documented arguments. */
type Methods = Pick<Opts<never>, "sendMessage" | "sendChatAction" | "getFile" | "getMe" | "getWebhookInfo"> & {
  setMyCommands: { commands: { command: string; description: string }[]; scope: { type: "chat"; chat_id: number } };
} & {
  setMessageReaction: { chat_id: number | string; message_id: number; reaction: { type: "emoji"; emoji: string }[] };
} & {
  [Method in UploadMethod]: Omit<Opts<never>[Method], UploadField>;
};

/** The upload methods, each of which takes the file under its own field name. */
export type UploadMethod = "sendPhoto" | "sendDocument" | "sendAudio" | "sendVoice" | "sendVideo";
type UploadField = "photo" | "document" | "audio" | "voice" | "video";

/** A file to upload. */
export interface FileUpload {
  field: UploadField;
  file: File;
}

/** The result of a call. Never contains the token. */
export type BotAnswer =
  | { kind: "ok"; result: unknown }
  /** Refused: `status` is Telegram's error code, or the HTTP status of a proxy that answered instead. */
  | { kind: "refused"; status: number; description: string; retryAfterMs?: number }
  /** Never sent: the name was not found, or TLS failed. */
  | { kind: "unreached"; reason: string }
  /** Perhaps received: no answer came, or none that could be parsed. */
  | { kind: "lost"; reason: string };

/**
 * Calls the Bot API once. Never throws.
 * @see https://core.telegram.org/bots/api#making-requests
 */
export async function callBot<Method extends keyof Methods>(
  context: TelegramContext,
  token: string,
  method: Method,
  args: Methods[Method],
  signal: AbortSignal,
  upload?: FileUpload,
): Promise<BotAnswer> {
  const { fetch, account } = context;
  try {
    const response = await fetch(`${apiBaseUrl(account)}/bot${token}/${method}`, {
      method: "POST",
      ...(upload === undefined
        ? { headers: { "Content-Type": "application/json" }, body: JSON.stringify(args) }
        : { body: multipartForm(args, upload) }),
      redirect: "manual",
      signal,
    });
    return readAnswer(response.status, response.headers.get("Retry-After"), await response.text(), token);
  } catch (error) {
    if (signal.aborted) return { kind: "lost", reason: "no answer in time" };
    const reason = withoutToken(messageOf(error), token);
    if (isUnreached(reason)) return { kind: "unreached", reason: "the server could not be reached" };
    return { kind: "lost", reason: `the connection failed: ${reason}` };
  }
}

/**
 * Whether workerd has not connected: it gives a reference for a name that is not found and for a failed TLS handshake,
 * and other words for a connection that was refused or that broke, which cannot be told apart.
 */
function isUnreached(reason: string): boolean {
  return reason.startsWith("internal error");
}

/** Encodes the arguments beside a file, non-strings as JSON. */
function multipartForm(args: object, { field, file }: FileUpload): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(args)) {
    if (value !== undefined) form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  form.set(field, file);
  return form;
}

/** Downloads the path from getFile. @throws IsopodError `unavailable` */
export async function downloadFile(
  context: TelegramContext,
  token: string,
  path: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { fetch, account } = context;
  const response = await fetch(`${apiBaseUrl(account)}/file/bot${token}/${path}`, { redirect: "manual", signal }).catch(
    (error: unknown) => {
      throw new IsopodError("unavailable", `The download failed: ${withoutToken(messageOf(error), token)}`);
    },
  );
  if (response.ok && response.body) return response.body;
  await response.body?.cancel();
  throw new IsopodError("unavailable", `The download failed: Telegram answered ${response.status}.`);
}

/** The account's token; undefined if it is not set or malformed. */
export function botToken({ account, secret }: TelegramContext): string | undefined {
  const token = secret(account.botToken);
  return token !== undefined && /^[\w:-]*[\w-]$/.test(token) ? token : undefined;
}

function apiBaseUrl(account: TelegramAccount): string {
  return account.apiBase.replace(/\/+$/, "");
}

const apiResponse: z.ZodType<ApiResponse<unknown>> = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error_code: z.int(),
    description: z.string(),
    parameters: z.object({ retry_after: z.number().exactOptional() }).exactOptional(),
  }),
]);

function readAnswer(status: number, retryAfter: string | null, text: string, token: string): BotAnswer {
  const answer = apiResponse.safeParse(parseJson(text)).data;
  if (answer?.ok) return { kind: "ok", result: answer.result };
  if (answer === undefined && status < 300) return { kind: "lost", reason: "the answer could not be read" };
  const description = answer?.description ?? `no answer of the Bot API, but status ${status}`;
  const seconds = answer?.parameters?.retry_after ?? Number(retryAfter ?? Number.NaN);
  return {
    kind: "refused",
    status: answer?.error_code ?? status,
    description: withoutToken(description, token),
    ...(Number.isFinite(seconds) && { retryAfterMs: seconds * 1000 }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MAX_REASON_UNITS = 300;

/** Removes the token and its secret half from a text that is stored or shown. */
function withoutToken(text: string, token: string): string {
  const secretHalf = token.slice(token.indexOf(":") + 1);
  return text.replaceAll(token, "<token>").replaceAll(secretHalf, "<token>").slice(0, MAX_REASON_UNITS);
}
