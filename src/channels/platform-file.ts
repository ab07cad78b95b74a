import { IsopodError, messageOf } from "../lib/errors.ts";
import type { ChannelContext } from "./channel.ts";
import { withoutSecrets } from "./platform-call.ts";

/** A file at a platform. */
export interface PlatformFileRequest {
  /** The platform's name, for people. */
  platform: string;
  url: string;
  /** With a login in them, redirects are not followed. */
  headers?: Record<string, string>;
  /** Values that must not be in an error. */
  secrets?: readonly string[];
}

/** Opens a file for download. @throws IsopodError `unavailable` */
export async function openPlatformFile(
  { fetch }: Pick<ChannelContext<unknown>, "fetch">,
  { platform, url, headers, secrets = [] }: PlatformFileRequest,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const redirect = headers === undefined ? "follow" : "manual";
  const response = await fetch(url, { redirect, signal, ...(headers && { headers }) }).catch((error: unknown) => {
    throw new IsopodError("unavailable", `The download failed: ${withoutSecrets(messageOf(error), secrets)}`);
  });
  if (response.ok && response.body) return response.body;
  await response.body?.cancel();
  throw new IsopodError("unavailable", `The download failed: ${platform} answered ${response.status}.`);
}
