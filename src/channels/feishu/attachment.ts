import { z } from "zod";
import { IsopodError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { requireFile } from "../download.ts";
import { credentialsMissing, type FeishuContext, feishuCredentials } from "./account.ts";
import { downloadFromFeishu } from "./open-api.ts";
import { explainRefusal } from "./refusals.ts";

const fileReference = z.object({ messageId: z.string(), key: z.string(), type: z.enum(["image", "file"]) });

/** Downloads a file of a message, up to 100 MB. @throws IsopodError */
export async function openAttachment(
  reference: JsonObject,
  context: FeishuContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const credentials = feishuCredentials(context);
  if (credentials === undefined) throw new IsopodError("not_configured", credentialsMissing(context));
  const { messageId, key, type } = fileReference.parse(reference);
  const path = `im/v1/messages/${encodeURIComponent(messageId)}/resources/${encodeURIComponent(key)}?type=${type}`;
  const answer = await downloadFromFeishu(context, credentials, path, signal);
  return requireFile(answer, "Feishu", (refusal) => explainRefusal(refusal, context));
}
