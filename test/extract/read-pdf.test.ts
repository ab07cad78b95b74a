import { expect, test } from "vitest";
import { readPdf } from "../../src/extract/read-pdf.ts";
import { pdfFile } from "./pdf-file.ts";

test("the text of a PDF comes page by page, with its title", async () => {
  const { title, text, note } = await readPdf(pdfFile(["The first lantern.", "The second lantern."]));
  expect(title).toBe("A book of lanterns");
  expect(text).toBe("--- Page 1 ---\nThe first lantern.\n\n--- Page 2 ---\nThe second lantern.");
  expect(note).toBeUndefined();
});

test("a PDF without text, and a damaged one, say so", async () => {
  await expect(readPdf(pdfFile([""]))).rejects.toThrow("The PDF has no text: its pages are pictures");
  await expect(readPdf(new TextEncoder().encode("%PDF-1.4\nnothing"))).rejects.toThrow("The PDF is damaged.");
});

test("of a PDF with many pages the first are read, and the rest is told", async () => {
  const { note } = await readPdf(pdfFile(Array.from({ length: 301 }, (_, n) => `Lantern ${n}.`)));
  expect(note).toBe("Only the first 300 of 301 pages of the PDF are shown.");
});
