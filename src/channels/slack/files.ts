import { z } from "zod";
import { IsopodError, messageOf } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Delivery, OutboundFile, Target } from "../channel.ts";
import { notHandedOver } from "../download.ts";
import { callPlatform, type PlatformAnswer, STOPPED, withoutSecrets } from "../platform-call.ts";
import { botToken, isSlackAddress, isTimestamp, type SlackContext, tokenMissing, withoutToken } from "./account.ts";
import { advice, callSlack, toDelivery } from "./web-api.ts";

const MAX_REDIRECTS = 3;
/** The delay before another try, in milliseconds. */
const RETRY_MS = 10_000;

const fileReference = z.object({
  fileId: z.string(),
  url: z.string().exactOptional(),
  isPage: z.boolean().exactOptional(),
});
const fileInfo = z.object({
  file: z.object({ url_private_download: z.string().nullish(), url_private: z.string().nullish() }),
});

/** Downloads an attachment. Files that are shared from another workspace have to be asked about first. @throws IsopodError */
export async function openAttachment(
  reference: JsonObject,
  context: SlackContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const token = botToken(context);
  if (token === undefined) throw new IsopodError("not_configured", tokenMissing(context.account));
  const { fileId, url, isPage = false } = fileReference.parse(reference);
  const address = url ?? (await findAddress(fileId, context, token, signal));
  return download(address, isPage, context, token, signal);
}

async function findAddress(file: string, context: SlackContext, token: string, signal: AbortSignal): Promise<string> {
  const answer = await callSlack(context, token, "files.info", { file }, signal);
  const found = answer.kind === "ok" ? fileInfo.safeParse(answer.json).data?.file : undefined;
  const address = found?.url_private_download ?? found?.url_private;
  if (address != null) return address;
  throw notHandedOver("Slack", whyNot(answer, context));
}

function whyNot(answer: PlatformAnswer, { account }: SlackContext): string {
  if (answer.kind === "refused") return advice(answer.description, account) ?? answer.description;
  return answer.kind === "ok" ? "it has no address" : answer.reason;
}

/** The token goes to Slack alone, also after a redirect. */
async function download(
  first: string,
  isPage: boolean,
  { fetch, account }: SlackContext,
  token: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (!isSlackAddress(url, account)) throw new IsopodError("unavailable", "The file is not on a server of Slack's.");
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(url, { headers, redirect: "manual", signal }).catch((error: unknown) => {
      throw new IsopodError("unavailable", `The download failed: ${withoutSecrets(messageOf(error), [token])}`);
    });
    const isText = response.headers.get("Content-Type")?.startsWith("text/html") ?? false;
    if (response.ok && response.body && (isPage || !isText)) return response.body;
    await response.body?.cancel();
    const next = response.headers.get("Location");
    if (response.ok) {
      const fix = "add the scope files:read to the app, and install it again.";
      throw new IsopodError("unavailable", `Slack answered with a page to sign in: ${fix}`);
    }
    if (response.status < 300 || response.status > 399 || next === null || !URL.canParse(next, url)) {
      throw new IsopodError("unavailable", `The download failed: Slack answered ${response.status}.`);
    }
    url = new URL(next, url).href;
  }
  throw new IsopodError("unavailable", "The download failed: too many redirects.");
}

const upload = z.object({ upload_url: z.string(), file_id: z.string() });

/** Uploads a file and shares it. Until it is shared, nobody sees anything of it, so that any failure before is retried. */
export async function sendFile(file: OutboundFile, context: SlackContext, signal: AbortSignal): Promise<Delivery> {
  const { name, bytes, target } = file;
  const token = botToken(context);
  if (token === undefined) return withoutToken(context);
  if (signal.aborted) return STOPPED;
  const channel = await channelOf(target, context, token, signal);
  if (typeof channel === "object") return channel;
  const offered = await callSlack(
    context,
    token,
    "files.getUploadURLExternal",
    { filename: name, length: bytes.length },
    signal,
  );
  const place = offered.kind === "ok" ? upload.safeParse(offered.json).data : undefined;
  if (place === undefined) return unshared(offered, context);
  const stored = await callPlatform(context, { url: place.upload_url, body: bytes }, signal);
  if (stored.kind !== "ok") return unshared(stored, context);
  const thread = target.via === undefined ? (target.threadId ?? target.replyToId) : undefined;
  const args = {
    files: [{ id: place.file_id, title: name }],
    channel_id: channel,
    ...(isTimestamp(thread) && { thread_ts: thread }),
  };
  const shared = toDelivery(await callSlack(context, token, "files.completeUploadExternal", args, signal), context);
  return shared.outcome === "delivered" ? { ...shared, externalId: place.file_id } : shared;
}

const opened = z.object({ channel: z.object({ id: z.string() }) });

/** The channel to share a file in: Slack takes a member's id for messages only. */
async function channelOf(
  { conversationId, via = conversationId }: Target,
  context: SlackContext,
  token: string,
  signal: AbortSignal,
): Promise<string | Delivery> {
  if (!/^[UW]/.test(via)) return via;
  const answer = await callSlack(context, token, "conversations.open", { users: via }, signal);
  const channel = answer.kind === "ok" ? opened.safeParse(answer.json).data?.channel.id : undefined;
  return channel ?? unshared(answer, context);
}

function unshared(answer: PlatformAnswer, context: SlackContext): Delivery {
  const delivery = toDelivery(answer, context);
  if (delivery.outcome === "retry" || delivery.outcome === "failed") return delivery;
  const reason = delivery.outcome === "unsure" ? delivery.reason : "Slack: the answer could not be read";
  return { outcome: "retry", afterMs: RETRY_MS, reason };
}
