import { sanitizeForPrompt } from "../../security/sanitize.ts";
import { accessFindings } from "../access-findings.ts";
import type { ChannelFinding } from "../channel.ts";
import { credentialsMissing, type FeishuContext, feishuCredentials } from "./account.ts";
import { askBot, type FeishuBot, readBot } from "./bot.ts";
import type { FeishuAnswer } from "./open-api.ts";
import { explainRefusal } from "./refusals.ts";

/** Checks an app's secrets, and whether Feishu knows its bot. Feishu does not tell which address it calls. */
export async function checkAccount(context: FeishuContext, signal: AbortSignal): Promise<ChannelFinding[]> {
  const events = aboutEvents(context);
  const credentials = feishuCredentials(context);
  if (credentials === undefined) {
    return [{ status: "fail", message: "it has no credentials.", fix: credentialsMissing(context) }, ...events];
  }
  const answer = await askBot(context, credentials, signal);
  const bot = readBot(answer);
  const found = bot === undefined ? failure(answer, context) : aboutBot(bot);
  return [found, ...events, ...accessFindings("Feishu", context.account)];
}

function aboutEvents({ account, secret }: FeishuContext): ChannelFinding[] {
  const { encryptKey, verificationToken } = account;
  if (secret(encryptKey) !== undefined) return [];
  const fix = `Set an Encrypt Key at the developer console (Events & Callbacks, Encryption Strategy) and ${encryptKey.id}.`;
  if (secret(verificationToken) === undefined) {
    const message = `every event is refused, because neither ${encryptKey.id} nor ${verificationToken.id} is set.`;
    return [{ status: "fail", message, fix }];
  }
  return [{ status: "warn", message: "events are not signed: only the Verification Token proves them.", fix }];
}

/** An app that works has this status. */
const ACTIVE = 2;

function aboutBot({ app_name: name, activate_status: status = ACTIVE }: FeishuBot): ChannelFinding {
  const shown = sanitizeForPrompt(name).slice(0, 100);
  if (status === ACTIVE) return { status: "ok", message: `the bot is ${shown}.` };
  const fix = "Publish a version at the developer console, and let the company's administrator allow it.";
  return { status: "fail", message: `the bot ${shown} is not active.`, fix };
}

function failure(answer: FeishuAnswer, context: FeishuContext): ChannelFinding {
  if (answer.kind === "refused") {
    const fix = "Correct that, and try again.";
    const message = explainRefusal(answer, context) ?? `Feishu answers: ${answer.description}`;
    return { status: answer.status === 429 || answer.status >= 500 ? "warn" : "fail", message, fix };
  }
  const why = answer.kind === "ok" ? "the answer names no bot" : answer.reason;
  return {
    status: "warn",
    message: `Feishu does not answer: ${why}.`,
    fix: "Try again; if it persists, check domain.",
  };
}
