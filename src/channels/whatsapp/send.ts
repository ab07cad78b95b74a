import { within } from "../../lib/deadline.ts";
import { log } from "../../lib/log.ts";
import { wholeHead } from "../../lib/text.ts";
import type { Addressed, Button, Buttons, Delivery, OutboundPart, Reaction } from "../channel.ts";
import { STOPPED } from "../platform-call.ts";
import { credentials, type WhatsAppContext } from "./account.ts";
import { callGraph, messageDelivery, withCredentials } from "./graph-api.ts";
import { isRefusedAsClosed, type MessageContent, sendMessage } from "./message.ts";
import { reopen } from "./template.ts";
import { isKnownClosed } from "./window.ts";

const TYPING_TIMEOUT_MS = 5_000;

/** Sends one part; to a closed conversation the template in its place. */
export async function sendPart(part: OutboundPart, context: WhatsAppContext, signal: AbortSignal): Promise<Delivery> {
  return withCredentials(context, async (credentials) => {
    if (signal.aborted) return STOPPED;
    const sending = { context, credentials, signal };
    if (isKnownClosed(part.target.via, context.now())) return reopen(part, sending);
    const answer = await sendMessage(part, messageContent(part), sending);
    return isRefusedAsClosed(answer) ? reopen(part, sending) : messageDelivery(answer, context);
  });
}

/** Limits of a message with up to three buttons, and of one with a list of choices. */
const BUTTONS = { most: 3, bodyUnits: 1024, titleUnits: 20, idUnits: 256 };
const LIST = { most: 10, titleUnits: 24, idUnits: 200 };

/** A text with its buttons; a list of choices where there are too many of them, or too much text. */
function messageContent({ text, buttons = [] }: { text: string; buttons?: Buttons }): MessageContent {
  const isList = buttons.flat().length > BUTTONS.most || text.length > BUTTONS.bodyUnits;
  const shown = choices(buttons.flat(), isList ? LIST : BUTTONS);
  if (shown.length === 0) return { type: "text", text: { body: text, preview_url: false } };
  const action = isList
    ? { button: "Answer", sections: [{ title: "Answer", rows: shown }] }
    : { buttons: shown.map((reply) => ({ type: "reply", reply })) };
  return { type: "interactive", interactive: { type: isList ? "list" : "button", body: { text }, action } };
}

/** Titles and ids that differ, within limits. A button whose words do not fit into an id is left out. */
function choices(
  buttons: readonly Button[],
  { most, titleUnits, idUnits }: Pick<typeof LIST, "most" | "titleUnits" | "idUnits">,
): { id: string; title: string }[] {
  const taken = new Map<string, string>();
  for (const { label, says } of buttons) {
    const id = says.trim();
    if (taken.size === most || id === "" || id.length > idUnits || taken.has(id)) continue;
    const titles = new Set(taken.values());
    let title = wholeHead(label, titleUnits);
    for (let n = 2; titles.has(title); n++) title = `${wholeHead(label, titleUnits - 3)} ${n}`;
    taken.set(id, title);
  }
  return Array.from(taken, ([id, title]) => ({ id, title }));
}

/** Marks the message that is answered as read, and shows "typing…" for up to 25 seconds. */
export async function showTyping({ target }: Addressed, context: WhatsAppContext): Promise<void> {
  const found = credentials(context);
  if (found === undefined || target.replyToId === undefined) return;
  const body = {
    messaging_product: "whatsapp",
    status: "read",
    message_id: target.replyToId,
    typing_indicator: { type: "text" },
  };
  const answer = await within(TYPING_TIMEOUT_MS, (signal) =>
    callGraph(context, found, { path: `${found.phoneNumberId}/messages`, body }, signal),
  );
  if (answer.kind !== "ok")
    log("debug", "channel.typing_failed", { channel: "whatsapp", accountId: context.accountId });
}

/** Sets or removes the number's reaction. */
export async function react(
  { target, messageId, emoji }: Reaction,
  context: WhatsAppContext,
  signal: AbortSignal,
): Promise<Delivery> {
  return withCredentials(context, async (credentials) => {
    const { replyToId: _, ...conversation } = target;
    const content = { type: "reaction", reaction: { message_id: messageId, emoji } };
    const answer = await sendMessage({ target: conversation }, content, { context, credentials, signal });
    return messageDelivery(answer, context);
  });
}
