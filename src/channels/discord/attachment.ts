import { z } from "zod";
import { IsopodError, messageOf } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { DiscordContext } from "./account.ts";
import { callDiscord } from "./api.ts";

const fileReference = z.object({ url: z.url() });
const refreshed = z.object({ refreshed_urls: z.array(z.object({ refreshed: z.string() })) });

/** Where Discord keeps files. */
const FILE_HOSTS: ReadonlySet<string> = new Set(["cdn.discordapp.com", "media.discordapp.net"]);
/** What an address that has expired is answered with. */
const EXPIRED: ReadonlySet<number> = new Set([403, 404]);

/** Downloads an attachment; an address that has expired is renewed once. @throws IsopodError `unavailable` */
export async function openAttachment(
  reference: JsonObject,
  context: DiscordContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { url } = fileReference.parse(reference);
  const response = await download(url, context, signal);
  const last = EXPIRED.has(response.status) ? await downloadRenewed(url, response, context, signal) : response;
  if (last.ok && last.body) return last.body;
  await last.body?.cancel();
  throw new IsopodError("unavailable", `The download failed: Discord answered ${last.status}.`);
}

async function downloadRenewed(
  url: string,
  refusal: Response,
  context: DiscordContext,
  signal: AbortSignal,
): Promise<Response> {
  const request = { path: "/attachments/refresh-urls", body: { attachment_urls: [url] } };
  const answer = await callDiscord(context, request, signal);
  const [renewed] = answer.kind === "ok" ? (refreshed.safeParse(answer.json).data?.refreshed_urls ?? []) : [];
  if (renewed === undefined) return refusal;
  await refusal.body?.cancel();
  return download(renewed.refreshed, context, signal);
}

/** @throws IsopodError */
async function download(address: string, { account, fetch }: DiscordContext, signal: AbortSignal): Promise<Response> {
  const { origin, hostname } = new URL(address);
  // Those who run a server of their own have files there, too.
  if (!FILE_HOSTS.has(hostname) && origin !== new URL(account.apiBase).origin) {
    throw new IsopodError("unavailable", "The file is not on a server of Discord.");
  }
  return fetch(address, { redirect: "manual", signal }).catch((error: unknown) => {
    throw new IsopodError("unavailable", `The download failed: ${messageOf(error)}`);
  });
}
