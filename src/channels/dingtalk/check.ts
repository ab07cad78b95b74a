import { accessFindings } from "../access-findings.ts";
import type { ChannelFinding } from "../channel.ts";
import { isAesKey } from "../framed-cipher.ts";
import { credentialsMissing, type DingtalkContext, dingtalkCredentials } from "./account.ts";
import { requestToken } from "./api.ts";
import { explainRefusal } from "./refusals.ts";

/** Checks an app's secrets, and whether DingTalk knows it. DingTalk tells neither its robot nor the address it calls. */
export async function checkAccount(context: DingtalkContext, signal: AbortSignal): Promise<ChannelFinding[]> {
  const { account, secret } = context;
  const aesKey = secret(account.aesKey);
  const malformed: ChannelFinding = {
    status: "fail",
    message: `${account.aesKey.id} is no aes_key: every event is refused.`,
    fix: "Copy all of its 43 characters.",
  };
  const events = aesKey === undefined || isAesKey(aesKey) ? [] : [malformed];
  const credentials = dingtalkCredentials(context);
  if (credentials === undefined) {
    return [{ status: "fail", message: "it has no credentials.", fix: credentialsMissing(context) }, ...events];
  }
  const answer = await requestToken(context, credentials, signal);
  return [aboutApp(answer, context), ...events, ...accessFindings("DingTalk", account)];
}

function aboutApp(answer: Awaited<ReturnType<typeof requestToken>>, context: DingtalkContext): ChannelFinding {
  if (!("kind" in answer)) return { status: "ok", message: "DingTalk knows the app." };
  if (answer.kind === "refused") {
    const message = explainRefusal(answer, context) ?? `DingTalk answers: ${answer.description}`;
    return { status: answer.status === 429 ? "warn" : "fail", message, fix: "Correct that, and try again." };
  }
  const message = `DingTalk does not answer: ${answer.reason}.`;
  return { status: "warn", message, fix: "Try again; if it persists, check apiBase." };
}
