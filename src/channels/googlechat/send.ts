import { z } from "zod";
import { settingValue } from "../account-fields.ts";
import type { Buttons, Delivery, OutboundPart, Target } from "../channel.ts";
import { deliveryOf, type PlatformAnswer, STOPPED } from "../platform-call.ts";
import type { GooglechatAccount, GooglechatContext } from "./account.ts";
import { callChat, type ServiceAccountKey, serviceAccountKey } from "./chat-api.ts";
import { isPerson } from "./inbound.ts";

const named = z.object({ name: z.string() });

/** Sends one part. Google makes one message of all requests with the same `deliveryId`. */
export async function sendPart(part: OutboundPart, context: GooglechatContext, signal: AbortSignal): Promise<Delivery> {
  const { target, text, deliveryId, buttons } = part;
  const account = serviceAccountKey(context);
  if (typeof account === "string") return { outcome: "failed", reason: account };
  if (signal.aborted) return STOPPED;
  const space = await findSpace(target, context, account, signal);
  if (typeof space !== "string") return toDelivery(space, context.account);
  const query = new URLSearchParams({
    requestId: deliveryId,
    ...(target.threadId !== undefined && { messageReplyOption: "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD" }),
  });
  const body = {
    text,
    markupSyntax: "MARKUP_SYNTAX_CHAT",
    ...(target.threadId !== undefined && { thread: { name: target.threadId } }),
    ...(buttons && { cardsV2: [buttonCard(buttons, context)] }),
  };
  const call = { method: "POST", path: `${space}/messages?${query}`, body } as const;
  return toDelivery(await callChat(context, account, call, signal), context.account);
}

/** The space of a destination; a person's is the chat with the app. */
async function findSpace(
  { conversationId }: Target,
  context: GooglechatContext,
  account: ServiceAccountKey,
  signal: AbortSignal,
): Promise<string | Exclude<PlatformAnswer, { kind: "ok" }>> {
  if (!isPerson(conversationId)) return conversationId;
  const path = `spaces:findDirectMessage?${new URLSearchParams({ name: conversationId })}`;
  const answer = await callChat(context, account, { method: "GET", path }, signal);
  if (answer.kind === "lost") return { kind: "unreached", reason: answer.reason };
  if (answer.kind !== "ok") return answer;
  return named.safeParse(answer.json).data?.name ?? { kind: "unreached", reason: "the chat could not be found" };
}

/**
 * A card of buttons. An add-on is called at the address that a button names; any other app at its own, whatever the
 * button names.
 */
function buttonCard(buttons: Buttons, { account, secret }: GooglechatContext): object {
  const called =
    (settingValue(account.addOnAccount, { secret }) && settingValue(account.audience, { secret })) || "says";
  const widgets = buttons.map((row) => ({
    buttonList: {
      buttons: row.map(({ label, says }) => ({
        text: label,
        onClick: { action: { function: called, parameters: [{ key: "says", value: says }] } },
      })),
    },
  }));
  return { cardId: "buttons", card: { sections: [{ widgets }] } };
}

function toDelivery(answer: PlatformAnswer, account: GooglechatAccount): Delivery {
  return deliveryOf(answer, {
    platform: "Google Chat",
    externalId: (json) => named.safeParse(json).data?.name,
    explain: (status, description) => explain(status, account)?.concat(`: ${description}`),
  });
}

function explain(status: number, { serviceAccount }: GooglechatAccount): string | undefined {
  switch (status) {
    case 401:
      return `Google does not accept the service account: make a new key for ${serviceAccount.id}`;
    case 403:
      return "The app may not write there: it was removed from the space, or an administrator has switched it off";
    case 404:
      return "There is no such conversation, or the app is not in it: add the app to it";
    default:
      return undefined;
  }
}
