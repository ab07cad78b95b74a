import { z } from "zod";
import { IsopodError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { requireFile } from "../download.ts";
import { credentialsMissing, type WecomContext, wecomCredentials } from "./account.ts";
import { downloadFromWecom } from "./api.ts";
import { explainRefusal } from "./refusals.ts";

const fileReference = z.object({ mediaId: z.string() });

/** Downloads a file, which WeCom keeps for three days. @throws IsopodError */
export async function openAttachment(
  reference: JsonObject,
  context: WecomContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const credentials = wecomCredentials(context);
  if (credentials === undefined) throw new IsopodError("not_configured", credentialsMissing(context));
  const { mediaId } = fileReference.parse(reference);
  const answer = await downloadFromWecom(context, credentials, mediaId, signal);
  return requireFile(answer, "WeCom", (refusal) => explainRefusal(refusal, context));
}
