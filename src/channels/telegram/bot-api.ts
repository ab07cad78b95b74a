import type { Opts } from "@grammyjs/types";
import { z } from "zod";
import { downloadFile } from "../download.ts";
import { callPlatform, type PlatformAnswer, refusedIf, withoutSecrets } from "../platform-call.ts";
import type { TelegramAccount, TelegramContext } from "./account.ts";

/** The methods used here, with the Bot API's documented arguments. */
type Methods = Pick<Opts<never>, "sendMessage" | "sendChatAction" | "getFile" | "getMe" | "getWebhookInfo"> & {
  setMyCommands: { commands: { command: string; description: string }[]; scope: { type: "chat"; chat_id: number } };
} & {
  setWebhook: { url: string; secret_token: string; allowed_updates: readonly string[]; max_connections?: number };
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

/** The result of a call, without Telegram's envelope. Never contains the token. */
export type BotAnswer = { kind: "ok"; result: unknown } | Exclude<PlatformAnswer, { kind: "ok" }>;

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
  const url = `${apiBaseUrl(context.account)}/bot${token}/${method}`;
  const body = upload === undefined ? args : multipartForm(args, upload);
  const sent = await callPlatform(context, { url, body, secrets: tokenParts(token) }, signal);
  const answer = refusedIf(sent, (json) => {
    const said = refused.safeParse(json).data;
    return said && { status: said.error_code, description: withoutSecrets(said.description, tokenParts(token)) };
  });
  if (answer.kind === "refused") return { ...answer, ...codeAndDelay(answer.json) };
  if (answer.kind !== "ok") return answer;
  const read = envelope.safeParse(answer.json).data;
  return read === undefined
    ? { kind: "lost", reason: "the answer could not be read" }
    : { kind: "ok", result: read.result };
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
export function downloadPath(
  context: TelegramContext,
  token: string,
  path: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const url = `${apiBaseUrl(context.account)}/file/bot${token}/${path}`;
  return downloadFile(context, { platform: "Telegram", url, secrets: tokenParts(token) }, signal);
}

/** The account's token; undefined if it is not set or malformed. */
export function botToken({ account, secret }: TelegramContext): string | undefined {
  const token = secret(account.botToken);
  return token !== undefined && /^[\w:-]*[\w-]$/.test(token) ? token : undefined;
}

/** What an account without a token is told. */
export function tokenMissing({ botToken }: TelegramAccount): string {
  return `Set ${botToken.id} to the bot's token.`;
}

function apiBaseUrl(account: TelegramAccount): string {
  return account.apiBase.replace(/\/+$/, "");
}

const envelope = z.object({ ok: z.literal(true), result: z.unknown() });
const refused = z.object({
  ok: z.literal(false),
  error_code: z.int(),
  description: z.string(),
  parameters: z.object({ retry_after: z.number().exactOptional() }).exactOptional(),
});

/** Telegram's own code and delay; a proxy that answers in its place has neither. */
function codeAndDelay(json: unknown): { status?: number; retryAfterMs?: number } {
  const said = refused.safeParse(json).data;
  if (said === undefined) return {};
  const seconds = said.parameters?.retry_after;
  return { status: said.error_code, ...(seconds !== undefined && { retryAfterMs: seconds * 1000 }) };
}

/** The token and its secret half: neither may be in a text that is stored or shown. */
function tokenParts(token: string): string[] {
  return [token, token.slice(token.indexOf(":") + 1)];
}
