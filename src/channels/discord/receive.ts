import { log } from "../../lib/log.ts";
import type { ReceiveResult } from "../channel.ts";
import { announcesTooMuch, parseJson, readWebhookBody, refuse, refuseMethod, refuseSize } from "../webhook.ts";
import { type DiscordContext, publicKey } from "./account.ts";
import { firstAnswer } from "./first-answer.ts";
import { readInteraction } from "./interaction.ts";
import { isSigned } from "./signature.ts";

/** Receives an interaction: a slash command, a pressed button, a form, or Discord's test of the address. */
export async function receive(request: Request, context: DiscordContext): Promise<ReceiveResult> {
  const wrongMethod = refuseMethod(request);
  if (wrongMethod) return wrongMethod;
  if (announcesTooMuch(request)) return refuseSize();
  const body = await readWebhookBody(request);
  if (body === undefined) return refuseSize();
  const key = configuredKey(context);
  if (key === undefined || !(await isSigned(request.headers, body, key))) {
    return refuse("unauthorized", "The signature is wrong.");
  }
  const json = parseJson(body);
  if (json === undefined) return refuse("invalid_request", "The body is not JSON.");
  const read = readInteraction(json, context.now());
  switch (read.kind) {
    case "invalid":
      return refuse("invalid_request", `Not an interaction of Discord: ${read.problem}`);
    case "message":
      return {
        kind: "events",
        events: [read.message],
        answer: ([outcome]) => Response.json(firstAnswer(read, outcome, context)),
      };
    default: {
      const reason = read.kind === "ignored" ? read.reason : `an interaction without a message: ${read.kind}`;
      return { kind: "answered", reason, response: Response.json(firstAnswer(read, undefined, context)) };
    }
  }
}

function configuredKey(context: DiscordContext): string | undefined {
  const key = publicKey(context);
  const { accountId, account } = context;
  if (key === undefined) {
    log("error", "channel.not_configured", { channel: "discord", accountId, variable: account.publicKey.id });
  }
  return key;
}
