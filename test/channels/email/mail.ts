import type { ReceivedEmail } from "../../../src/channels/email/receive.ts";

/** A mail as its parts; header fields with `undefined` are left out. */
export interface MailParts {
  /** MAIL FROM; that of From where absent. */
  envelopeFrom?: string;
  to?: string;
  fields?: Record<string, string | undefined>;
  /** Field lines above all others, such as those of the server that hands the mail over. */
  above?: string[];
  body?: string | Uint8Array;
}

const AGENT = "agent@agent.example";

/** The mail of Ada, whose domain is proven, as Email Routing hands it over. */
export function mailOf({
  envelopeFrom,
  to = AGENT,
  fields = {},
  above,
  body = "Hello",
}: MailParts = {}): ReceivedEmail {
  const all: Record<string, string | undefined> = {
    From: "Ada Lovelace <ada@example.org>",
    To: to,
    Subject: "A question",
    "Message-ID": "<m1@example.org>",
    Date: "Mon, 05 Jan 2026 10:00:00 +0000",
    "MIME-Version": "1.0",
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Transfer-Encoding": "8bit",
    ...fields,
  };
  const address = /<([^<>]+)>$/.exec(all.From ?? "")?.[1] ?? all.From?.split(",")[0] ?? "ada@example.org";
  const results = `Authentication-Results: mx.cloudflare.net; dkim=pass header.d=${domainOf(address)}; dmarc=pass header.from=${domainOf(address)}`;
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const head = new TextEncoder().encode([...(above ?? [results]), ...lines, "", ""].join("\r\n"));
  const content = typeof body === "string" ? new TextEncoder().encode(body.replace(/\r?\n/g, "\r\n")) : body;
  return { from: envelopeFrom ?? address, to, raw: Uint8Array.from([...head, ...content]) };
}

function domainOf(address: string): string {
  return address.slice(address.indexOf("@") + 1);
}
