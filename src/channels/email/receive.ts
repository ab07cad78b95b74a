import PostalMime, {
  type Address,
  addressParser,
  type Email,
  type Mailbox,
  type Attachment as MailFile,
} from "postal-mime";
import { digestOf } from "../../lib/digest.ts";
import { messageOf } from "../../lib/errors.ts";
import { head } from "../../lib/text.ts";
import type { Attachment, Author, InboundMessage, ReceiveResult } from "../channel.ts";
import { ignore } from "../webhook.ts";
import { type EmailContext, isAddressOf } from "./account.ts";
import { domainOf, isVerified } from "./authentication.ts";
import { reasonNotToAnswer } from "./automatic.ts";
import { htmlToText } from "./html-text.ts";
import { type MailKind, splitQuoted } from "./quoted-text.ts";
import { boundedThread, MAX_SUBJECT_UNITS, mailIds, type ReplyContext } from "./reply-context.ts";

/** Largest mail that is read, in bytes: Email Routing hands over no larger one. */
export const MAX_EMAIL_BYTES = 25 * 1024 * 1024;
/** Most lines of a mail: the parser's work grows with them, and 25 MiB of an attachment have fewer. */
const MAX_EMAIL_LINES = 500_000;
/** Bounds of a mail's structure. */
const MIME_LIMITS = { maxNestingDepth: 50, maxHeadersSize: 512 * 1024, forceRfc822Attachments: true };
const MAX_NAME_UNITS = 100;
const MAX_QUOTED_UNITS = 20_000;

/** A mail with the addresses of its connection. */
export interface ReceivedEmail {
  /** MAIL FROM; empty for a bounce. */
  from: string;
  /** RCPT TO. */
  to: string;
  raw: Uint8Array<ArrayBuffer>;
}

/** What comes of a mail; `rejected`: the server that brings it is told why, in words for its sender. */
export type EmailResult = Exclude<ReceiveResult, { kind: "refused" }> | { kind: "rejected"; reason: string };

/** Reads a mail: who wrote what in which thread, if a person wrote it. Never throws for what is in it. */
export async function receiveEmail(mail: ReceivedEmail, context: EmailContext): Promise<EmailResult> {
  if (mail.raw.length > MAX_EMAIL_BYTES) return reject(`The message is over ${MAX_EMAIL_BYTES} bytes.`);
  // Its head first, which is small: what is not answered costs no more.
  const top = await parse(headOf(mail.raw));
  if (typeof top === "string") return reject(`The message cannot be read: ${top}`);
  const author = authorOf(top, mail, context);
  const { addresses } = context.account;
  if (isAddressOf(author.id, [...addresses, mail.to.toLowerCase()])) return ignore("the agent itself sent it");
  const references = mailIds(top.references);
  const facts = { headers: top.headers, envelopeFrom: mail.from, from: author.id, references: references.length };
  const reason = reasonNotToAnswer(facts);
  if (reason !== undefined) return ignore(reason);
  if (author.isUnverified && context.account.unverified === "refuse") return reject(UNVERIFIED);
  if (hasMoreLines(mail.raw, MAX_EMAIL_LINES)) return reject(`The message has over ${MAX_EMAIL_LINES} lines.`);
  const parsed = await parse(mail.raw);
  if (typeof parsed === "string") return reject(`The message cannot be read: ${parsed}`);
  const message = await toInbound(parsed, references, author, mail, context);
  if (message.text === "" && message.quoted === undefined && message.attachments.length === 0) {
    return ignore("it has no content");
  }
  return { kind: "events", events: [message] };
}

const UNVERIFIED =
  "Nothing proves that this message comes from its From address (DMARC, or DKIM or SPF for its domain), or it is not addressed to this mailbox in To or Cc.";

function reject(reason: string): EmailResult {
  return { kind: "rejected", reason };
}

/** The header of a mail: what is before its first empty line. */
function headOf(raw: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  for (let at = raw.indexOf(LF); at !== -1; at = raw.indexOf(LF, at + 1)) {
    const next = raw[at + 1] === CR ? at + 2 : at + 1;
    if (raw[next] === LF) return raw.slice(0, next + 1);
  }
  return raw;
}

const [LF, CR] = [10, 13];

function hasMoreLines(raw: Uint8Array, most: number): boolean {
  let lines = 0;
  for (let at = raw.indexOf(LF); at !== -1 && lines <= most; at = raw.indexOf(LF, at + 1)) lines++;
  return lines > most;
}

/** The parsed mail, or what is wrong with it. */
async function parse(raw: Uint8Array<ArrayBuffer>): Promise<Email | string> {
  // The parser copies a view, and a mail is large.
  const isWhole = raw.byteLength === raw.buffer.byteLength;
  try {
    return await PostalMime.parse(isWhole ? raw.buffer : raw, MIME_LIMITS);
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * The author by From, or by the connection's MAIL FROM where there is none. Of several, or of several From fields, the first, who is then unverified: receivers do not agree
 * on which one counts. So is who does not name the mailbox in To or Cc: it may be another's mail, sent on.
 */
function authorOf(parsed: Email, { from, to }: ReceivedEmail, { account }: EmailContext): Author {
  const fields = parsed.headers.filter(({ key }) => key === "from");
  const authors = fields.flatMap(({ value }) => addressParser(value, { flatten: true })).filter(isMailbox);
  const [author = { address: from, name: "" }] = authors;
  const id = author.address.toLowerCase();
  const domain = domainOf(id);
  const isSole = authors.length === 1 && fields.length === 1;
  const isToUs = flattened([...(parsed.to ?? []), ...(parsed.cc ?? [])]).some(({ address }) =>
    isAddressOf(address, [...account.addresses, to.toLowerCase()]),
  );
  const path = { domain, envelopeFrom: from, verifier: account.verifier };
  const isProven = isSole && isToUs && isVerified(parsed.headers, path);
  const name = head(author.name.trim(), MAX_NAME_UNITS);
  return {
    id,
    // A name that is an address may be meant to be taken for the sender's.
    ...(name !== "" && !name.includes("@") && { name }),
    ...(!isProven && { isUnverified: true }),
  };
}

function isMailbox(address: Address): address is Mailbox {
  return /^[^\s@<>]+@[^\s@<>]+$/.test(address.address ?? "");
}

function flattened(addresses: readonly Address[]): Mailbox[] {
  return addresses.flatMap((one) => one.group ?? [one]);
}

async function toInbound(
  parsed: Email,
  references: readonly string[],
  sender: Author,
  { to, raw }: ReceivedEmail,
  { account }: EmailContext,
): Promise<InboundMessage> {
  const [ownId] = mailIds(parsed.messageId);
  const [answers] = mailIds(parsed.inReplyTo).slice(-1);
  const messageId = ownId ?? (await digestOf("SHA-256", raw)).slice(0, 32);
  const thread = [...references, ...(answers === undefined ? [] : [answers]), ...(ownId === undefined ? [] : [ownId])];
  const subject = head((parsed.subject ?? "").replace(/\s+/g, " ").trim(), MAX_SUBJECT_UNITS);
  const context: ReplyContext = { from: to.toLowerCase(), subject, thread: boundedThread(thread) };
  const isReply = answers !== undefined || references.length > 0 || REPLY_SUBJECT.test(subject);
  const kind = FORWARD_SUBJECT.test(subject) ? "forward" : isReply ? "reply" : "new";
  return {
    kind: "message",
    dedupeId: messageId,
    ...wordsOf(parsed, { kind, subject, own: [...account.addresses, context.from] }),
    sender,
    conversation: { kind: "direct", id: sender.id, threadId: thread[0] ?? messageId },
    mentioned: true,
    ...(answers !== undefined && { replyToId: answers }),
    attachments: parsed.attachments.filter(isFile).map(toAttachment),
    messageId,
    replyContext: context,
  };
}

const REPLY_SUBJECT = /^(?:re|aw|sv|vs|antw|odp|ynt|r|回复|答复|回覆|答覆|返信)\s?[:：]/i;
const FORWARD_SUBJECT = /^(?:fwd?|wg|tr|rv|enc|i|vs|doorst|vl|pd|转发|轉寄|转寄|転送)\s?[:：]/i;

/**
 * The sender's words, and those of others that the mail repeats. The subject comes along with the first mail of a
 * thread. What the agent wrote itself is known, and is left out unless answers stand between its lines.
 */
function wordsOf(
  { text, html, attachments }: Email,
  { kind, subject, own: ownAddresses }: { kind: MailKind; subject: string; own: readonly string[] },
): Pick<InboundMessage, "text" | "quoted"> {
  const { own, quoted = "", quotedFrom = "", isInterleaved } = splitQuoted(text ?? htmlToText(html ?? ""), kind);
  const isOurs = ownAddresses.some((address) => quotedFrom.toLowerCase().includes(address));
  const isKnown = kind === "reply" && isOurs && !isInterleaved;
  const senderName = head(quotedFrom.replace(/^[*\s]*[^\s:：]{1,12}\s?[:：][*\s]*/, ""), MAX_NAME_UNITS);
  const passedOn =
    quoted === "" || isKnown ? {} : { quoted: { text: bounded(quoted), ...(senderName && { senderName }) } };
  const isBare = own === "" && attachments.length === 0 && quoted === "";
  if (isBare) return { text: subject };
  // A command has to be at the beginning.
  const isTitled = kind !== "reply" && subject !== "" && !own.startsWith("/");
  return { text: isTitled ? `Subject: ${subject}\n\n${own}`.trim() : own, ...passedOn };
}

function bounded(text: string): string {
  const kept = head(text, MAX_QUOTED_UNITS);
  return kept.length === text.length ? text : `${kept}\n[${text.length - kept.length} more characters]`;
}

/** Signatures are no files for people. */
function isFile({ mimeType }: MailFile): boolean {
  return !/^application\/(?:pgp-signature|(?:x-)?pkcs7-signature)$/.test(mimeType);
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "message/rfc822": "eml",
  "text/calendar": "ics",
  "text/plain": "txt",
};

function toAttachment({ filename, mimeType, content }: MailFile, index: number): Attachment {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  const extension = EXTENSIONS[mimeType] ?? /\/([a-z0-9]{2,5})$/.exec(mimeType)?.[1] ?? "bin";
  return { name: filename ?? `attachment-${index + 1}.${extension}`, mediaType: mimeType, size: bytes.length, bytes };
}
