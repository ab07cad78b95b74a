import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { openPdf } from "../../src/extract/open-pdf.ts";
import { pdfFile } from "./pdf-file.ts";

/** A few bytes that claim a table of so many objects; the name may be written by the numbers of its letters. */
function pdfOf(objects: number, index = "/Index"): Uint8Array {
  const table = deflateSync(Buffer.alloc(objects * 2));
  const head = `%PDF-1.5\n1 0 obj\n<< /Type /XRef ${index} [0 ${objects}] /W [1 1 0] /Filter /FlateDecode /Length ${table.length} >>\nstream\n`;
  const parts = [Buffer.from(head), table, Buffer.from(`\nendstream\nendobj\nstartxref\n9\n%%EOF`)];
  return Uint8Array.from(Buffer.concat(parts));
}

test.each(["/Index", "/Ind#65x", "/Size"])(
  "a PDF that claims to have a million objects is not opened (%s)",
  async (name) => {
    const bytes = name === "/Size" ? pdfOf(10, `/Size 1000000 /Index`) : pdfOf(1_000_000, name);
    expect(bytes.length).toBeLessThan(4_000);
    await expect(openPdf(bytes)).rejects.toThrow("too many objects");
  },
);

test("a usual PDF is opened", async () => {
  const pdf = await openPdf(pdfFile(["One.", "Two."]));
  expect(pdf.numPages).toBe(2);
  await pdf.destroy();
});
