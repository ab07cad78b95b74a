import { expect, test } from "vitest";
import { documentReader } from "../../src/services/read-document.ts";

const DOCUMENT = { bytes: new Uint8Array([1]), mediaType: "application/pdf", name: "a.pdf" };

function reader(answer: () => Promise<object>) {
  return documentReader({ toMarkdown: answer } as unknown as Ai)!;
}

test("documents are read with Workers AI where it is bound", async () => {
  expect(documentReader(undefined)).toBeUndefined();
  expect(await reader(async () => ({ format: "markdown", data: "# A" }))(DOCUMENT)).toBe("# A");
});

test("a document that Workers AI does not convert, or cannot be asked about, is not read", async () => {
  expect(await reader(async () => ({ format: "error", error: "unsupported" }))(DOCUMENT)).toBeUndefined();
  expect(await reader(async () => Promise.reject(new Error("no network")))(DOCUMENT)).toBeUndefined();
});
