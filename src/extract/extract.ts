import { head } from "../lib/text.ts";
import { charsetOf, contentKind } from "./content-kind.ts";
import { decodeBytes } from "./decode-bytes.ts";
import type { ReadablePage } from "./read-html.ts";

/** An answer to read. */
export interface Answer {
  bytes: Uint8Array;
  /** Its `Content-Type`. */
  contentType: string | undefined;
  /** Where it came from, after redirects. */
  address: string;
}

/** What an answer says: a text, or an image. */
export type Extracted = ({ kind: "text"; charset?: string } & ReadablePage) | { kind: "image"; mediaType: string };

/** Reads PDFs and office documents as Markdown; gives undefined for one that it cannot read now. */
export type ReadDocument = (document: Document) => Promise<string | undefined>;

interface Document {
  bytes: Uint8Array;
  mediaType: string;
  name: string;
}

/** The most characters of a text. */
const MAX_CHARS = 2_000_000;

/** Characters that readers do not see, or that reorder others. Joiners stay: some scripts are written with them. */
const UNSEEN = /[^\P{Cc}\n\t]|[^\P{Cf}\u200c\u200d]/gu;

/**
 * Reads an answer: the main part of a page, the entries of a feed, the text of a PDF or document, any other text as it is.
 * @param isRaw true for the text as it came, whatever it is
 * @throws Error that says why it cannot be read and what to do
 */
export async function extract(
  answer: Answer,
  isRaw: boolean,
  readDocument: ReadDocument | undefined,
): Promise<Extracted> {
  const found = await extractAny(answer, isRaw, readDocument);
  if (found.kind === "image") return found;
  const text = visibleText(found.text);
  const cut = head(text, MAX_CHARS);
  const note = cut.length < text.length ? `Only the first ${cut.length} characters of its text are shown.` : found.note;
  return { ...found, text: cut, title: visibleText(found.title), ...(note !== undefined && { note }) };
}

function visibleText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNSEEN, "").toWellFormed();
}

async function extractAny(
  { bytes, contentType, address }: Answer,
  isRaw: boolean,
  readDocument: ReadDocument | undefined,
): Promise<Extracted> {
  const content = contentKind(bytes, contentType, address);
  const name = URL.parse(address)?.pathname.split("/").at(-1) || "document";
  switch (content.kind) {
    case "image":
      return content;
    case "pdf": {
      const text = await readDocument?.({ bytes, mediaType: "application/pdf", name });
      if (text !== undefined) return { kind: "text", title: "", text };
      const { readPdf } = await import("./read-pdf.ts");
      return { kind: "text", ...(await readPdf(bytes)) };
    }
    case "document": {
      const text = await readDocument?.({ bytes, mediaType: content.mediaType, name });
      if (text !== undefined) return { kind: "text", title: "", text };
      throw new Error(
        `It is a document (${content.mediaType}), and nothing here can read it now. Look for the same as a page or a PDF.`,
      );
    }
    case "other":
      throw new Error(
        `It is ${content.mediaType}, ${bytes.length} bytes: no page, text, image, PDF or document. Look for a page about it.`,
      );
  }
  const { text, charset } = decodeBytes(bytes, charsetOf(contentType));
  if (isRaw || content.kind === "text") return { kind: "text", title: "", text, charset };
  const feed = content.kind === "feed" ? (await import("./read-feed.ts")).readFeed(text, address) : undefined;
  if (content.kind === "feed") return { kind: "text", charset, ...(feed ?? { title: "", text }) };
  const { readHtml } = await import("./read-html.ts");
  return { kind: "text", charset, ...readHtml(text, address) };
}
