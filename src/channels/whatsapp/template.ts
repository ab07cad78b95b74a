import { wholeHead } from "../../lib/text.ts";
import type { Delivery, OutboundPart } from "../channel.ts";
import { messageDelivery } from "./graph-api.ts";
import { inWords } from "./graph-error.ts";
import { type Sending, sendMessage } from "./message.ts";

/** Most UTF-16 units of a variable: Meta allows 1,024 characters for a body with all of its variables. */
const MAX_VARIABLE_UNITS = 700;
/** The parts of a reply to a closed conversation are one template, which costs money; so are replies within this time. */
const ONCE_IN_MS = 60 * 60_000;
const MAX_REMEMBERED = 500;

/** When conversations were sent a template last, as far as this isolate knows. */
const reopenedAt = new Map<string, number>();

/** What is sent to a closed conversation. */
export interface Unsent extends Pick<OutboundPart, "target" | "deliveryId"> {
  text: string;
  /** Whether it is a file, which a template does not carry. */
  isFile?: true;
}

/**
 * Sends the account's template in place of a message to someone who has not written for 24 hours. What the template does
 * not carry counts as failed, so that people are told of it and can have it sent again once they have answered.
 */
export async function reopen({ target, deliveryId, text, isFile }: Unsent, sending: Sending): Promise<Delivery> {
  const { context, credentials } = sending;
  const { account } = context;
  const template = account.templates.reopen;
  if (template === undefined) return { outcome: "failed", reason: inWords({ code: 131047 }, account) };
  const key = JSON.stringify([account.apiBase, credentials.phoneNumberId, target.conversationId]);
  const { name, language, parameter } = template;
  if (context.now() - (reopenedAt.get(key) ?? Number.NEGATIVE_INFINITY) < ONCE_IN_MS) {
    return { outcome: "failed", reason: `${CLOSED}, and the template ${name} was sent shortly before` };
  }
  // Meta refuses line breaks, tabs and rows of spaces in a variable.
  const line = text.replace(/\s+/g, " ").trim();
  const shown = line.length > MAX_VARIABLE_UNITS ? `${wholeHead(line, MAX_VARIABLE_UNITS - 2)} …` : line;
  const variable = { type: "text", ...(parameter !== "1" && { parameter_name: parameter }), text: shown };
  const components = parameter === undefined ? [] : [{ type: "body", parameters: [variable] }];
  const { replyToId: _, ...conversation } = target;
  const content = { type: "template", template: { name, language: { code: language }, components } };
  const delivery = messageDelivery(await sendMessage({ target: conversation, deliveryId }, content, sending), context);
  if (delivery.outcome !== "delivered" && delivery.outcome !== "unsure") return delivery;
  if (reopenedAt.size >= MAX_REMEMBERED) reopenedAt.clear();
  reopenedAt.set(key, context.now());
  if (delivery.outcome === "unsure" || (parameter !== undefined && !isFile && shown === line)) return delivery;
  const carried = parameter === undefined || isFile ? "does not carry it" : "carries only its beginning";
  return { outcome: "failed", reason: `${CLOSED}: the template ${name} was sent, which ${carried}` };
}

const CLOSED = "This person has not written for 24 hours";
