import { IsopodError, messageOf } from "../lib/errors.ts";
import type { ChannelContext } from "./channel.ts";
import { type PlatformAnswer, type PlatformFile, withoutSecrets } from "./platform-call.ts";

type Refused = Extract<PlatformAnswer, { kind: "refused" }>;

/** A file at a platform. */
export interface Download {
  /** The platform's name, for people. */
  platform: string;
  url: string;
  headers?: Record<string, string>;
  /** Values that must not be in any error. */
  secrets?: readonly string[];
  /** How many redirects to follow, each without `headers` and to https only; none where absent. */
  redirects?: number;
}

/** Requests a file from a platform. @throws IsopodError `unavailable` */
export async function downloadFile(
  { fetch }: Pick<ChannelContext<unknown>, "fetch">,
  { platform, url, headers = {}, secrets = [], redirects = 0 }: Download,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(url, { headers, redirect: "manual", signal }).catch((error: unknown) => {
    throw notHandedOver(platform, withoutSecrets(messageOf(error), secrets));
  });
  if (response.ok && response.body) return response.body;
  await response.body?.cancel();
  const next = URL.parse(response.headers.get("Location") ?? "", url);
  if (response.status >= 300 && response.status < 400 && redirects > 0 && next?.protocol === "https:") {
    return downloadFile({ fetch }, { platform, url: next.href, secrets, redirects: redirects - 1 }, signal);
  }
  throw notHandedOver(platform, `it answered ${response.status}`);
}

/** The error for a file that a platform does not give. */
export function notHandedOver(platform: string, why: string): IsopodError {
  return new IsopodError("unavailable", `${platform} did not hand over the file: ${why.replace(/\.$/, "")}`);
}

/**
 * The bytes of a file that a platform was asked for.
 * @param explain what a refusal means to the owner, if more is known than the platform says
 * @throws IsopodError `unavailable` with the reason where it is no file
 */
export function requireFile<Refusal extends Refused>(
  answer: PlatformFile | Exclude<PlatformAnswer, Refused> | Refusal,
  platform: string,
  explain: (refusal: Refusal) => string | undefined,
): ReadableStream<Uint8Array> {
  if (answer.kind === "file") return answer.bytes;
  if (answer.kind === "refused") throw notHandedOver(platform, explain(answer) ?? answer.description);
  throw notHandedOver(platform, answer.kind === "ok" ? "the answer is no file" : answer.reason);
}
