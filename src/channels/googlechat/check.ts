import { z } from "zod";
import { settingName, settingValue } from "../account-fields.ts";
import type { ChannelFinding } from "../channel.ts";
import type { GooglechatContext } from "./account.ts";
import { callChat, serviceAccountKey } from "./chat-api.ts";

/** Checks the audience, the service account, and whether the Chat API takes it. */
export async function checkAccount(
  context: GooglechatContext,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<ChannelFinding[]> {
  return [aboutAudience(context, webhookUrl), await aboutServiceAccount(context, signal)];
}

function aboutAudience({ account, secret }: GooglechatContext, webhookUrl: string): ChannelFinding {
  const name = settingName(account.audience, "audience");
  const audience = settingValue(account.audience, { secret });
  if (!audience) {
    const fix = `Copy the project number from the Google Cloud console: wrangler secret put ${name}.`;
    return { status: "fail", message: `every message is refused, because ${name} is not set.`, fix };
  }
  if (/^\d+$/.test(audience)) {
    return { status: "ok", message: `calls have to be for the project ${audience}, at ${webhookUrl}.` };
  }
  if (audience === webhookUrl) return { status: "ok", message: `calls have to be for ${webhookUrl}.` };
  const message = `calls have to be for ${audience}, but the webhook is ${webhookUrl}.`;
  return { status: "warn", message, fix: `Set ${name} to the endpoint URL in the Chat API's configuration.` };
}

const spaces = z.object({ spaces: z.array(z.unknown()).default([]) });

async function aboutServiceAccount(context: GooglechatContext, signal: AbortSignal): Promise<ChannelFinding> {
  const { id } = context.account.serviceAccount;
  const account = serviceAccountKey(context);
  if (typeof account === "string") {
    const fix = `Make a JSON key for it in the Google Cloud console: wrangler secret put ${id} < key.json.`;
    return { status: "fail", message: account, fix };
  }
  const answer = await callChat(context, account, { method: "GET", path: "spaces?pageSize=1" }, signal);
  if (answer.kind === "ok") {
    const isAnywhere = (spaces.safeParse(answer.json).data?.spaces.length ?? 0) > 0;
    return { status: "ok", message: isAnywhere ? "the app can write." : "the app can write, and is nowhere yet." };
  }
  if (answer.kind !== "refused" || answer.status === 429 || answer.status >= 500) {
    const said = answer.kind === "refused" ? answer.description : answer.reason;
    return { status: "warn", message: `the Chat API does not answer: ${said}.`, fix: "Try again in a moment." };
  }
  const fix =
    answer.status === 401
      ? `Make a new JSON key: wrangler secret put ${id} < key.json.`
      : "Enable the Google Chat API in the project of the service account, and configure the app there.";
  return { status: "fail", message: `Google refuses the service account: ${answer.description}`, fix };
}
