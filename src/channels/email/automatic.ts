import type { HeaderField } from "./authentication.ts";

/** Threads that are longer are perhaps two programs that answer each other. */
const MAX_REFERENCES = 60;

/** The mailboxes of programs. */
const PROGRAMS = /^(?:mailer-daemon|postmaster|(?:no|do-?not)[._-]?reply|bounces?|notifications?)(?:[+._-][^@]*)?@/i;

/** What decides whether a mail is answered. */
export interface AnsweringFacts {
  headers: readonly HeaderField[];
  /** MAIL FROM; empty for a bounce. */
  envelopeFrom: string;
  from: string;
  /** How many mails its thread has before it. */
  references: number;
}

/**
 * Why a mail is never answered: a program wrote it, it came by a list, or its thread does not end. Undefined if a
 * person has written it, as far as it says.
 * @see https://www.rfc-editor.org/rfc/rfc3834
 */
export function reasonNotToAnswer({ headers, envelopeFrom, from, references }: AnsweringFacts): string | undefined {
  const first = (name: string) =>
    headers
      .find(({ key }) => key === name)
      ?.value.trim()
      .toLowerCase();
  const isThere = (names: readonly string[]) => names.some((name) => first(name) !== undefined);
  if (envelopeFrom === "" || envelopeFrom === "<>") return "a bounce: it has no return path";
  if (/^multipart\/report\b/.test(first("content-type") ?? "")) return "a report of a mail server";
  if (!/^(?:no\b|$)/.test(first("auto-submitted") ?? "")) return "an automatic message (Auto-Submitted)";
  if (isThere(["x-autoreply", "x-autorespond", "x-autoresponse"])) return "an automatic reply";
  if (!/^(?:none|$)/.test(first("x-auto-response-suppress") ?? "")) return "it asks for no automatic replies";
  if (/^(?:bulk|list|junk|auto_reply)\b/.test(first("precedence") ?? "")) return "bulk mail (Precedence)";
  if (isThere(["list-id", "list-post", "list-unsubscribe", "mailing-list"])) return "it came by a mailing list";
  if (PROGRAMS.test(from)) return "its sender reads no replies";
  return references > MAX_REFERENCES ? `its thread has ${references} mails: two programs may be talking` : undefined;
}
