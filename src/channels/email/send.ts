import { toBase64 } from "../../lib/base64.ts";
import { messageOf } from "../../lib/errors.ts";
import { head } from "../../lib/text.ts";
import type { Delivery, OutboundFile, OutboundPart, Target } from "../channel.ts";
import { formatEmail } from "../markup/email.ts";
import { STOPPED } from "../platform-call.ts";
import type { EmailContext } from "./account.ts";
import { readReplyContext, threadFields } from "./reply-context.ts";

/** Largest attachment: in base64 it fills the 25 MiB that Cloudflare sends at most. */
const MAX_ATTACHMENT_BYTES = 18 * 1024 * 1024;
/** Longest subject that is made of a text. */
const MAX_TITLE_UNITS = 70;

/** Sends a part of a reply, in its thread, as text and HTML. */
export function send({ target, text }: OutboundPart, context: EmailContext, signal: AbortSignal): Promise<Delivery> {
  return post(target, titleOf(text), formatEmail(text), context, signal);
}

/** Sends a file as an attachment. */
export async function sendFile(file: OutboundFile, context: EmailContext, signal: AbortSignal): Promise<Delivery> {
  const { target, name, mediaType, bytes } = file;
  if (bytes.length > MAX_ATTACHMENT_BYTES) {
    return {
      outcome: "failed",
      reason: `${name} is over ${MAX_ATTACHMENT_BYTES} bytes, and no larger file is mailed.`,
    };
  }
  const attachment = { filename: name, type: mediaType, disposition: "attachment", content: toBase64(bytes) } as const;
  return post(target, name, { ...formatEmail(`📎 ${name}`), attachments: [attachment] }, context, signal);
}

type MailContent = Pick<EmailMessageBuilder, "text" | "html" | "attachments">;

/** @param title the subject of a mail that answers none */
async function post(
  target: Target,
  title: string,
  content: MailContent,
  context: EmailContext,
  signal: AbortSignal,
): Promise<Delivery> {
  const { account, accountId, sendEmail } = context;
  if (sendEmail === undefined) return { outcome: "failed", reason: WITHOUT_BINDING };
  const answered = readReplyContext(target);
  const from = answered?.from ?? account.addresses[0];
  if (from === undefined) {
    const field = `channels.email.accounts.${accountId}.addresses`;
    return { outcome: "failed", reason: `Say in ${field} which address the agent writes from.` };
  }
  if (signal.aborted) return STOPPED;
  const message = {
    from: account.name === undefined ? from : { name: account.name, email: from },
    to: target.conversationId,
    subject: answered === undefined ? title : replySubject(answered.subject),
    // No program answers what says that a program wrote it.
    headers: {
      "Auto-Submitted": answered === undefined ? "auto-generated" : "auto-replied",
      ...threadFields(answered?.thread ?? []),
    },
    ...content,
  };
  return outcomeOf(sendEmail(message), from, target.conversationId, signal);
}

const WITHOUT_BINDING =
  "The Worker cannot send email: add [[send_email]] with name EMAIL to wrangler.toml, and deploy.";

function replySubject(subject: string): string {
  if (subject === "") return "Re: your message";
  return /^re\s?[:：]/i.test(subject) ? subject : `Re: ${subject}`;
}

/** The first line of a text, without signs of Markdown. */
function titleOf(markdown: string): string {
  const first = markdown.split("\n").find((line) => /\p{L}|\p{N}/u.test(line)) ?? "";
  const plain = first
    .replace(/[*_`#>~]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
  const title = head(plain, MAX_TITLE_UNITS);
  return title.length < plain.length ? `${title}…` : title || "Message";
}

/** A binding's call cannot be taken back: once stopped, the mail may be on its way. */
async function outcomeOf(
  sending: Promise<EmailSendResult>,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<Delivery> {
  const stopped = new Promise<"stopped">((resolve) => {
    signal.addEventListener("abort", () => resolve("stopped"), { once: true });
  });
  try {
    const sent = await Promise.race([sending, stopped]);
    if (sent === "stopped") return { outcome: "unsure", reason: "Email: no answer in time" };
    return { outcome: "delivered", externalId: sent.messageId };
  } catch (error) {
    return refusal(error, from, to);
  }
}

const MINUTE_MS = 60_000;

/**
 * What an error of the binding means, by its code; an older form of it has a message only.
 * @see https://developers.cloudflare.com/email-service/api/send-emails/workers-api/#error-codes
 */
function refusal(error: unknown, from: string, to: string): Delivery {
  const said = messageOf(error);
  const code = codeOf(error) ?? (/not allowed|not (?:a )?verified/i.test(said) ? "E_RECIPIENT_NOT_ALLOWED" : "");
  const failed = (reason: string): Delivery => ({ outcome: "failed", reason });
  switch (code) {
    case "E_RATE_LIMIT_EXCEEDED":
      return { outcome: "retry", afterMs: MINUTE_MS, reason: `Email: ${said}` };
    case "E_DAILY_LIMIT_EXCEEDED":
      return { outcome: "retry", afterMs: 60 * MINUTE_MS, reason: `Email: the day's limit is reached: ${said}` };
    case "E_SENDER_NOT_VERIFIED":
    case "E_SENDER_DOMAIN_NOT_AVAILABLE":
      return failed(`Cloudflare does not send from ${from}: onboard its domain in Email Service. ${said}`);
    case "E_RECIPIENT_NOT_ALLOWED":
      return failed(
        `Cloudflare does not send to ${to}: verify it as a destination address of Email Routing, or onboard the sending domain in Email Service. ${said}`,
      );
    case "E_RECIPIENT_SUPPRESSED":
      return failed(`Mail to ${to} has bounced or was reported: remove it from Email Service's suppressions. ${said}`);
    case "E_CONTENT_TOO_LARGE":
      return failed("The mail is too large: Cloudflare sends 5 MiB, and 25 MiB to verified addresses.");
    case "E_DELIVERY_FAILED":
      return failed(`The server of ${to} did not take the mail: ${said}`);
  }
  // The rest of the codes are faults of the message, apart from one that says nothing.
  if (code.startsWith("E_") && code !== "E_INTERNAL_SERVER_ERROR") return failed(`Email: ${said}`);
  return { outcome: "unsure", reason: `Email: ${said}` };
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}
