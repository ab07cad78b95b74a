import { openPdf } from "./open-pdf.ts";
import type { ReadablePage } from "./read-html.ts";

/** The most pages that are read, and the most characters. */
const MAX_PAGES = 300;
const MAX_CHARS = 1_000_000;

/** The text of a PDF, page by page. @throws Error if it is damaged, locked by a password, or has no text */
export async function readPdf(bytes: Uint8Array): Promise<ReadablePage> {
  const pdf = await openPdf(bytes);
  try {
    const pages: string[] = [];
    let chars = 0;
    for (let number = 1; number <= Math.min(pdf.numPages, MAX_PAGES) && chars < MAX_CHARS; number++) {
      const { items } = await (await pdf.getPage(number)).getTextContent();
      const text = items.map((item) => ("str" in item ? `${item.str}${item.hasEOL ? "\n" : ""}` : "")).join("");
      chars += text.length;
      pages.push(`--- Page ${number} ---\n${text.trim()}`);
    }
    if (chars === 0) throw new Error("The PDF has no text: its pages are pictures, which would need text recognition.");
    const title = await pdfTitle(pdf);
    const isWhole = pages.length === pdf.numPages;
    return {
      title,
      text: pages.join("\n\n"),
      ...(!isWhole && { note: `Only the first ${pages.length} of ${pdf.numPages} pages of the PDF are shown.` }),
    };
  } finally {
    await pdf.destroy();
  }
}

async function pdfTitle(pdf: { getMetadata(): Promise<{ info: object }> }): Promise<string> {
  const { info } = await pdf.getMetadata();
  return "Title" in info && typeof info.Title === "string" ? info.Title : "";
}
