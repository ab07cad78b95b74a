import { IsopodError, messageOf } from "../lib/errors.ts";
import type { ChannelContext } from "./channel.ts";
import { withoutSecrets } from "./platform-call.ts";

/** A file at a platform. */
export interface Download {
  /** The platform's name, for people. */
  platform: string;
  url: string;
  headers?: Record<string, string>;
  /** Values that must not be in any error. */
  secrets?: readonly string[];
}

/** Requests a file from a platform, without following redirects. @throws IsopodError `unavailable` */
export async function downloadFile(
  { fetch }: Pick<ChannelContext<unknown>, "fetch">,
  { platform, url, headers = {}, secrets = [] }: Download,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(url, { headers, redirect: "manual", signal }).catch((error: unknown) => {
    throw notHandedOver(platform, withoutSecrets(messageOf(error), secrets));
  });
  if (response.ok && response.body) return response.body;
  await response.body?.cancel();
  throw notHandedOver(platform, `it answered ${response.status}`);
}

/** The error for a file that a platform does not give. */
export function notHandedOver(platform: string, why: string): IsopodError {
  return new IsopodError("unavailable", `${platform} did not hand over the file: ${why}.`);
}
