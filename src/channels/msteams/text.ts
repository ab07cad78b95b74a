import type { InboundMessage } from "../channel.ts";
import type { Activity } from "./activity.ts";
import { decodeReferences, htmlText } from "./html.ts";

/** The words of a message, and what they answer. */
export interface Said extends Pick<InboundMessage, "replyToId" | "quoted"> {
  text: string;
}

/**
 * Reads the words of a message. Those of another message that it answers or forwards are what it quotes: Teams has them
 * in an entity, or in front of the sender's own in the HTML that it attaches.
 */
export function readText(activity: Activity): Said {
  const { own, quote } = quotedIn(attachedHtml(activity));
  const text = own === undefined ? readPlain(activity) : readHtml(own, activity);
  const reply = activity.entities?.find(({ type }) => type === "quotedReply")?.quotedReply;
  if (reply?.preview) return { text, ...quoted(reply.preview, reply.senderName, reply.messageId) };
  return { text, ...(quote && quoted(quote.text, quote.senderName, quote.messageId)) };
}

function quoted(text: string, senderName: string | null | undefined, id: string | null | undefined): Partial<Said> {
  return { ...(id && { replyToId: id }), quoted: { text, ...(senderName && { senderName }) } };
}

/** Whether a message mentions the bot. */
export function mentionsBot({ entities, recipient }: Activity): boolean {
  return entities?.some(({ type, mentioned }) => type === "mention" && mentioned?.id === recipient.id) ?? false;
}

/** A message's text; what comes before the bot's name is only a call. */
function readPlain(activity: Activity): string {
  const text = (activity.text ?? "").replace(/<quoted\b[^<>]*\/>/gi, "");
  return decodeReferences(readMentions(text, activity)).trim();
}

function readHtml(html: string, activity: Activity): string {
  const mention = /<span\b[^<>]*schema\.skype\.com\/Mention[^<>]*>([^<]*)<\/span>/gi;
  return htmlText(readMentions(html.replace(mention, "<at>$1</at>"), activity));
}

/** Leaves out the bot's name where a text begins with it; other names become `@name`. They stay encoded. */
function readMentions(text: string, { entities, recipient }: Activity): string {
  const own = new Set(
    [...(entities ?? []), { mentioned: recipient }].flatMap(({ mentioned }) =>
      mentioned?.id === recipient.id && mentioned.name ? [mentioned.name] : [],
    ),
  );
  let rest = text;
  for (;;) {
    const [call, name = ""] = /^(?:\s|&nbsp;|<(?:p|div)>)*<at\b[^<>]*>([^<]*)<\/at>/i.exec(rest) ?? [];
    if (call === undefined || !own.has(decodeReferences(name).trim())) break;
    rest = rest.slice(call.length);
  }
  return rest.replace(/<at\b[^<>]*>([^<]*)<\/at>/gi, "@$1");
}

/** The HTML that Teams attaches to a message that is more than plain text. */
function attachedHtml({ attachments }: Activity): string {
  const content = attachments?.find(({ contentType }) => contentType === "text/html")?.content;
  return typeof content === "string" ? content : "";
}

interface Quote {
  text: string;
  senderName?: string;
  messageId?: string;
}

const QUOTE_START = /<blockquote\b[^<>]*schema\.skype\.com\/(?:Reply|Forward)[^<>]*>/i;
const QUOTE_END = "</blockquote>";

/** Takes the quotes out of HTML. @returns `own`: the rest; undefined if nothing is quoted */
function quotedIn(html: string): { own?: string; quote?: Quote } {
  let own = html;
  let quote: Quote | undefined;
  for (;;) {
    const start = QUOTE_START.exec(own);
    const end = start ? own.indexOf(QUOTE_END, start.index) : -1;
    if (start === null || end === -1) break;
    quote ??= readQuote(start[0], own.slice(start.index + start[0].length, end));
    own = own.slice(0, start.index) + own.slice(end + QUOTE_END.length);
  }
  return quote === undefined ? {} : { own, quote };
}

function readQuote(tag: string, inner: string): Quote {
  const messageId = /\bitemid="([^"]+)"/i.exec(tag)?.[1];
  const senderName = /<strong\b[^<>]*itemprop="mri"[^<>]*>([^<]*)/i.exec(inner)?.[1];
  const words = /<p\b[^<>]*itemprop="(?:copy|preview)"[^<>]*>([\s\S]*)<\/p>/i.exec(inner)?.[1] ?? inner;
  return {
    text: htmlText(words),
    ...(senderName && { senderName: decodeReferences(senderName) }),
    ...(messageId !== undefined && { messageId }),
  };
}
