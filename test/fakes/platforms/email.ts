import type { FakePlatform } from "./fake-platform.ts";

/** The fields that Email Service lets a Worker set, apart from those that begin with X-. */
const FIELDS = ["In-Reply-To", "References", "Auto-Submitted"];
const MAX_FIELD_BYTES = 2048;
const MAX_MESSAGE_BYTES = 5 * 1024 * 1024;

interface Mail {
  from?: string | { email?: string };
  to?: string;
  subject?: string;
  text?: string;
  html?: string;
  headers?: Record<string, string>;
  attachments?: { content?: unknown; filename?: string; type?: string; disposition?: string }[];
}

/**
 * What Email Service checks of the mail that a binding is given. An error is answered with its code; the binding throws
 * it. Every domain but `unverified.example` may be sent from, and every address but those of `nobody.example` to.
 */
export const emailService: FakePlatform = {
  name: "email",
  answer({ fields, body }, memory) {
    const fault = faultOf(fields as Mail, body.length);
    if (fault !== undefined) return { status: 400, body: { code: fault } };
    const count = Number(memory.count ?? 0) + 1;
    memory.count = count;
    return { body: { messageId: `<${count}@sent.example>` } };
  },
};

function faultOf({ from, to, subject, text, html, headers = {}, attachments = [] }: Mail, bytes: number) {
  const sender = typeof from === "string" ? from : (from?.email ?? "");
  if (sender === "" || !to || !subject) return "E_FIELD_MISSING";
  if (!/^\S+@\S+$/.test(sender) || !/^\S+@\S+$/.test(to)) return "E_VALIDATION_ERROR";
  if (sender.endsWith("@unverified.example")) return "E_SENDER_DOMAIN_NOT_AVAILABLE";
  if (to.endsWith("@nobody.example")) return "E_RECIPIENT_NOT_ALLOWED";
  if (typeof text !== "string" || typeof html !== "string" || /[\r\n]/.test(subject)) return "E_VALIDATION_ERROR";
  for (const [name, value] of Object.entries(headers)) {
    if (!FIELDS.includes(name) && !name.startsWith("X-")) return "E_HEADER_NOT_ALLOWED";
    if (value === "" || /[\r\n]/.test(value)) return "E_HEADER_VALUE_INVALID";
    if (new TextEncoder().encode(value).length > MAX_FIELD_BYTES) return "E_HEADER_VALUE_TOO_LONG";
  }
  const isBase64 = (content: unknown) => typeof content === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(content);
  if (attachments.some(({ content, filename, type }) => !isBase64(content) || !filename || !type)) {
    return "E_VALIDATION_ERROR";
  }
  return bytes > MAX_MESSAGE_BYTES ? "E_CONTENT_TOO_LARGE" : undefined;
}
