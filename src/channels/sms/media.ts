import { z } from "zod";
import { IsopodError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { downloadFile, notHandedOver } from "../download.ts";
import { credentials, type SmsContext, settingsMissing } from "./account.ts";
import { basicAuthorization } from "./twilio-api.ts";

const mediaReference = z.object({ url: z.url({ protocol: /^https?$/ }) });

/** Downloads a file of an MMS. Twilio passes on to where it stores files, which gets no password. @throws IsopodError */
export async function openMedia(
  reference: JsonObject,
  context: SmsContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const found = credentials(context);
  if (found === undefined) throw new IsopodError("not_configured", settingsMissing(context.account));
  const { url } = mediaReference.parse(reference);
  const { origin, hostname, protocol } = new URL(url);
  const isOwn = origin === new URL(context.account.apiBase).origin;
  if (!isOwn && !(protocol === "https:" && /(?:^|\.)twilio\.com$/.test(hostname))) {
    throw notHandedOver("Twilio", "its address is not one of Twilio's");
  }
  const headers = { Authorization: basicAuthorization(found) };
  const secrets = [found.authToken, headers.Authorization];
  return downloadFile(context, { platform: "Twilio", url, headers, secrets, redirects: 1 }, signal);
}
