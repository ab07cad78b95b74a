import { z } from "zod";
import { IsopodError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
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
  if (answer.kind === "file") return answer.bytes;
  const refused = answer.kind === "refused" ? (explainRefusal(answer, context) ?? answer.description) : undefined;
  const why = refused ?? (answer.kind === "ok" ? "the answer is no file" : "reason" in answer ? answer.reason : "");
  throw new IsopodError("unavailable", `WeCom did not hand over the file: ${why}`);
}
