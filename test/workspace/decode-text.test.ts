import { describe, expect, test } from "vitest";
import { decodeText, detectEncoding, showControls } from "../../src/workspace/decode-text.ts";

const NONE = { controls: 0, broken: 0, hidden: 0 };

/** A whole file of these bytes. */
function decoded(bytes: Uint8Array | string) {
  const given = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  return decodeText({ bytes: given, offset: 0, isEnd: true }, detectEncoding(given));
}

/** A text as Windows' editors save it under "Unicode", with its byte order mark. */
function utf16(text: string, order: "little" | "big"): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 + 2 * text.length));
  [..."\ufeff", ...text.split("")].forEach((unit, at) => {
    view.setUint16(2 * at, unit.charCodeAt(0), order === "little");
  });
  return new Uint8Array(view.buffer);
}

describe("decoding a text file", () => {
  test("keeps line ends, tabs, joiners and bidirectional marks", () => {
    for (const text of [
      "",
      "a\r\n\tb\r",
      "می‌خواهم",
      "👩‍👩‍👧",
      "\u2067שלום\u2069",
      "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    ]) {
      expect(decoded(text)).toEqual({ kind: "text", text, faults: NONE });
    }
  });

  test("drops the byte order mark, and decodes UTF-16 by its mark", () => {
    expect(decoded("\ufeffkind")).toMatchObject({ text: "kind" });
    expect(decoded(utf16("说中文 😀", "little"))).toEqual({ kind: "text", text: "说中文 😀", faults: NONE });
    expect(decoded(utf16("说中文 😀", "big"))).toEqual({ kind: "text", text: "说中文 😀", faults: NONE });
  });

  test("replaces control characters that providers refuse by pictures", () => {
    const text = `${"x".repeat(90)}\0\u0007\u001b\u007f\v\f`;
    expect(decoded(text)).toEqual({
      kind: "text",
      text: `${"x".repeat(90)}␀␇␛␡␋␌`,
      faults: { ...NONE, controls: 6 },
    });
    expect(showControls("a\0b\ud800c\r\n")).toBe("a␀b\ufffdc\r\n");
  });

  test("replaces invalid bytes, such as half of a surrogate pair, by �", () => {
    const bytes = new Uint8Array([...new TextEncoder().encode("x".repeat(90)), 0xe9, 0xed, 0xa0, 0x80]);
    const text = decoded(bytes);
    expect(text).toMatchObject({ kind: "text", faults: { broken: 4 } });
    expect(text.kind === "text" && text.text).toBe(`${"x".repeat(90)}\ufffd\ufffd\ufffd\ufffd`);
    expect(decoded(utf16(`${"x".repeat(90)}\ud800y`, "little"))).toMatchObject({ faults: { broken: 1 } });
    expect(decoded("It says \ufffd itself.")).toMatchObject({ faults: NONE });
  });

  test("counts invisible characters", () => {
    expect(decoded("Hello \u{e0048}\u{e0069}\u202eolleh")).toMatchObject({ faults: { ...NONE, hidden: 3 } });
  });
});

describe("decoding a binary file", () => {
  test("reports other encodings, pictures, control characters, and UTF-16 without its mark as binary", () => {
    expect(decoded(new Uint8Array([0xc4, 0xe3, 0xba, 0xc3]))).toEqual({ kind: "binary", why: "encoding" });
    expect(decoded(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))).toMatchObject({ kind: "binary" });
    expect(decoded("\x01\x02".repeat(50))).toEqual({ kind: "binary", why: "controls" });
    expect(decoded(utf16("hello", "little").subarray(2))).toEqual({ kind: "binary", why: "controls" });
  });
});

describe("decoding a part of a file", () => {
  test("drops partial characters at its borders, in every encoding", () => {
    const text = "记😀".repeat(20);
    for (const bytes of [new TextEncoder().encode(text), utf16(text, "little"), utf16(text, "big")]) {
      for (let from = 4; from < 20; from++) {
        for (let to = 40; to < 56; to++) {
          const part = { bytes: bytes.subarray(from, to), offset: from, isEnd: false };
          const shown = decodeText(part, detectEncoding(bytes));
          expect(shown).toMatchObject({ kind: "text", faults: NONE });
          if (shown.kind === "text") expect(text).toContain(shown.text);
        }
      }
    }
  });
});
