import { z } from "zod";
import { IsopodError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { sleep } from "../../lib/sleep.ts";
import { downloadFile, notHandedOver } from "../download.ts";
import { callPlatform } from "../platform-call.ts";
import { accessToken, type LineContext, tokenMissing } from "./account.ts";

const contentReference = z.object({
  messageId: z.string().regex(/^\w+$/),
  type: z.string(),
  elsewhere: z.string().optional(),
});

/** Downloads the file of a message, once LINE has prepared it. @throws IsopodError */
export async function openContent(
  reference: JsonObject,
  context: LineContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const token = accessToken(context);
  if (token === undefined) throw new IsopodError("not_configured", tokenMissing(context.account));
  const { messageId, type, elsewhere } = contentReference.parse(reference);
  if (elsewhere !== undefined) throw notHandedOver("LINE", `its sender keeps it at ${elsewhere.slice(0, 300)}`);
  const url = `${context.account.dataApiBase.replace(/\/+$/, "")}/v2/bot/message/${messageId}/content`;
  const headers = { Authorization: `Bearer ${token}` };
  if (type === "video" || type === "audio") await untilPrepared({ url, headers, token }, context, signal);
  return downloadFile(context, { platform: "LINE", url, headers, secrets: [token] }, signal);
}

const MAX_LOOKS = 20;
const LOOK_AGAIN_MS = 1_000;
const preparation = z.object({ status: z.enum(["processing", "succeeded", "failed"]) });

/** Waits while LINE converts a film or a sound. @throws IsopodError if it fails, or takes too long */
async function untilPrepared(
  { url, headers, token }: { url: string; headers: Record<string, string>; token: string },
  context: LineContext,
  signal: AbortSignal,
): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS && !signal.aborted; looks++) {
    const request = { url: `${url}/transcoding`, method: "GET", headers, secrets: [token] } as const;
    const answer = await callPlatform(context, request, signal);
    if (answer.kind !== "ok")
      throw notHandedOver("LINE", answer.kind === "refused" ? answer.description : answer.reason);
    const { status = "succeeded" } = preparation.safeParse(answer.json).data ?? {};
    if (status === "succeeded") return;
    if (status === "failed") throw notHandedOver("LINE", "it could not be converted");
    await sleep(LOOK_AGAIN_MS, signal);
  }
  throw notHandedOver("LINE", "it is still being converted");
}
