import { z } from "zod";
import { IsopodError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { requireFile } from "../download.ts";
import { downloadFromPlatform } from "../platform-call.ts";
import { credentialsMissing, type DingtalkContext, dingtalkCredentials } from "./account.ts";
import { callDingtalk, type DingtalkAnswer } from "./api.ts";
import { explainRefusal } from "./refusals.ts";

const fileReference = z.object({ downloadCode: z.string() });
const fileAnswer = z.object({ downloadUrl: z.url({ protocol: /^https?$/ }) });

/** Downloads a file by its code, which is valid for a while. @throws IsopodError */
export async function openAttachment(
  reference: JsonObject,
  context: DingtalkContext,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const credentials = dingtalkCredentials(context);
  if (credentials === undefined) throw new IsopodError("not_configured", credentialsMissing(context));
  const { downloadCode } = fileReference.parse(reference);
  const body = { downloadCode, robotCode: credentials.robotCode };
  const answer = await callDingtalk(context, credentials, { path: "robot/messageFiles/download", body }, signal);
  const explain = (refusal: Extract<DingtalkAnswer, { kind: "refused" }>) => explainRefusal(refusal, context);
  const url = answer.kind === "ok" ? fileAnswer.safeParse(answer.json).data?.downloadUrl : undefined;
  if (url === undefined) return requireFile(answer, "DingTalk", explain);
  // The address is signed, for this file alone.
  const secrets = [url, ...new URL(url).searchParams.values()];
  return requireFile(await downloadFromPlatform(context, { url, method: "GET", secrets }, signal), "DingTalk", explain);
}
