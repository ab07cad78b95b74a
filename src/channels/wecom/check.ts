import { z } from "zod";
import { sanitizeForPrompt } from "../../security/sanitize.ts";
import { accessFindings } from "../access-findings.ts";
import type { ChannelFinding } from "../channel.ts";
import { isAesKey } from "../framed-cipher.ts";
import { credentialsMissing, type WecomContext, wecomCredentials } from "./account.ts";
import { callWecom, type WecomAnswer } from "./api.ts";
import { explainRefusal } from "./refusals.ts";

const application = z.object({ name: z.string(), close: z.int().default(0) });

/** Checks an application's secrets, and whether WeCom knows it. WeCom does not tell which address it calls. */
export async function checkAccount(context: WecomContext, signal: AbortSignal): Promise<ChannelFinding[]> {
  const receiver = aboutReceiver(context);
  const credentials = wecomCredentials(context);
  if (credentials === undefined) {
    return [{ status: "fail", message: "it has no credentials.", fix: credentialsMissing(context) }, ...receiver];
  }
  const query = { agentid: String(credentials.agentId) };
  const answer = await callWecom(context, credentials, { path: "agent/get", method: "GET", query }, signal);
  return [aboutApplication(answer, context), ...receiver, ...accessFindings("WeCom", context.account)];
}

function aboutReceiver({ account, secret }: WecomContext): ChannelFinding[] {
  const missing = [account.token, account.encodingAesKey].filter((ref) => secret(ref) === undefined);
  if (missing.length > 0) {
    const names = missing.map(({ id }) => id).join(" and ");
    const fix = `Set ${names}: the application's page shows them where messages are received (接收消息, API接收).`;
    return [{ status: "fail", message: `every message is refused, because ${names} is not set.`, fix }];
  }
  if (isAesKey(secret(account.encodingAesKey) ?? "")) return [];
  const message = `${account.encodingAesKey.id} is no EncodingAESKey: every message is refused.`;
  return [{ status: "fail", message, fix: "Copy all of its 43 characters." }];
}

function aboutApplication(answer: WecomAnswer, context: WecomContext): ChannelFinding {
  const known = answer.kind === "ok" ? application.safeParse(answer.json).data : undefined;
  if (known !== undefined) {
    const name = sanitizeForPrompt(known.name).slice(0, 100);
    if (known.close === 0) return { status: "ok", message: `the application is ${name}.` };
    return {
      status: "fail",
      message: `the application ${name} is switched off.`,
      fix: "Switch it on at WeCom's console.",
    };
  }
  if (answer.kind === "refused") {
    const message = explainRefusal(answer, context) ?? `WeCom answers: ${answer.description}`;
    const isPassing = answer.status === 429 || answer.status >= 500;
    return { status: isPassing ? "warn" : "fail", message, fix: "Correct that, and try again." };
  }
  const why = answer.kind === "ok" ? "the answer names no application" : answer.reason;
  return {
    status: "warn",
    message: `WeCom does not answer: ${why}.`,
    fix: "Try again; if it persists, check apiBase.",
  };
}
