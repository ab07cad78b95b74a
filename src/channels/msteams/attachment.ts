import { z } from "zod";
import { IsopodError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Attachment } from "../channel.ts";
import { downloadFile } from "../download.ts";
import { botLogin, isConnector, loginMissing, type MsteamsContext } from "./account.ts";
import type { Activity, TeamsAttachment } from "./activity.ts";
import { botToken } from "./connector.ts";

const FILE = "application/vnd.microsoft.teams.file.download.info";
const MAX_FILE_NAME_CHARS = 200;
const MAX_REDIRECTS = 3;
/** Where Microsoft keeps the files of chats. */
const FILE_HOSTS = /(?:^|\.)(?:sharepoint\.(?:com|cn|us)|sharepoint-mil\.us|svc\.ms)$/;

/**
 * A message's files: those of a chat with the bot, which have an address that opens without a login, and pictures in
 * the text, which the connector keeps. Files in groups and channels are in SharePoint, and are not handed to bots.
 */
export function readAttachments(activity: Activity): Attachment[] {
  return (activity.attachments ?? []).flatMap((attachment, at) => {
    const { contentType, contentUrl, name } = attachment;
    const url = contentType === FILE ? downloadUrl(attachment) : contentUrl;
    const isPicture = contentType?.startsWith("image/") ?? false;
    if (!url || !(contentType === FILE || isPicture)) return [];
    const isTyped = isPicture && contentType !== "image/*";
    return {
      name: (name || `picture-${at + 1}`).slice(0, MAX_FILE_NAME_CHARS),
      ...(isTyped && contentType && { mediaType: contentType }),
      reference: { url, ofConnector: isPicture },
    };
  });
}

function downloadUrl({ content }: TeamsAttachment): string | undefined {
  return z.object({ downloadUrl: z.string() }).safeParse(content).data?.downloadUrl;
}

const fileReference = z.object({ url: z.url({ protocol: /^https?$/ }), ofConnector: z.boolean() });

/** Downloads an attachment. @throws IsopodError */
export async function openAttachment(
  reference: JsonObject,
  context: MsteamsContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { url, ofConnector } = fileReference.parse(reference);
  if (!ofConnector) {
    const { protocol, hostname } = new URL(url);
    if (!isConnector(url, context.account) && !(protocol === "https:" && FILE_HOSTS.test(hostname))) {
      throw new IsopodError("forbidden", "Its address is not one where Microsoft keeps files of chats.");
    }
    return downloadFile(context, { platform: "Teams", url, redirects: MAX_REDIRECTS }, signal);
  }
  if (!isConnector(url, context.account)) {
    throw new IsopodError("forbidden", "Its address is not Microsoft's, so the bot's token is not sent there.");
  }
  const login = botLogin(context);
  if (login === undefined) throw new IsopodError("not_configured", loginMissing(context.account));
  const token = await botToken(context, login, signal);
  if (typeof token !== "string") throw new IsopodError("unavailable", "The bot could not log in to fetch it.");
  const headers = { Authorization: `Bearer ${token}` };
  return downloadFile(context, { platform: "Teams", url, headers, secrets: [token] }, signal);
}
