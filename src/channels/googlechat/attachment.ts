import { z } from "zod";
import { IsopodError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { downloadFile } from "../download.ts";
import { below, type GooglechatContext } from "./account.ts";
import { appToken, serviceAccountKey } from "./chat-api.ts";

const reference = z.object({
  resourceName: z
    .string()
    .regex(/^[\w\-+/=.~%]+$/)
    .optional(),
});

/** Downloads an attachment. @throws IsopodError */
export async function openAttachment(
  stored: JsonObject,
  context: GooglechatContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { resourceName } = reference.parse(stored);
  if (resourceName === undefined) {
    throw new IsopodError("forbidden", "It is in Google Drive, which the app may not read: upload it to the chat.");
  }
  const account = serviceAccountKey(context);
  if (typeof account === "string") throw new IsopodError("not_configured", account);
  const token = await appToken(context, account, signal);
  if (typeof token !== "string") throw new IsopodError("unavailable", "The app could not log in to fetch it.");
  const url = below(context.account.apiBase, `v1/media/${resourceName}?alt=media`);
  const headers = { Authorization: `Bearer ${token}` };
  return downloadFile(context, { platform: "Google Chat", url, headers, secrets: [token] }, signal);
}
