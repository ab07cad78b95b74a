const encoder = new TextEncoder();

/** Shortest line of a multi-line value that is searched on its own: a key is often shown in part. */
const MIN_LINE_CHARS = 16;

/** Shortest value that is also searched with space and quoting between its characters. */
const MIN_SPACED_CHARS = 8;

/** Separators within a value that is broken into lines, quoted or escaped. */
const BETWEEN = /[\s\\'"]+/g;

/** The common spellings of a value. */
export interface SecretForms {
  /** Searched as they are. */
  plain: readonly string[];
  /**
   * Searched in packed texts: base64, hex and octal, which programs break into lines and groups, and spaced letters.
   */
  encoded: readonly string[];
}

/** Removes space, quotes and backslashes from a text. */
export function packed(text: string): string {
  return text.replace(BETWEEN, "");
}

/**
 * The spellings of a secret: as it is, reversed, in upper or lower case, escaped for shells, JSON (also twice), HTML
 * and URLs, in base64, hex and octal. Other transformations, such as a part of it or compression, are not covered.
 */
export function secretForms(value: string): SecretForms {
  const trimmed = value.trim();
  const lines = trimmed.split(/\r?\n/).filter((line) => line.length >= MIN_LINE_CHARS && !line.startsWith("-----"));
  const wholes = [...new Set([value, trimmed, ...(trimmed.includes("\n") ? lines : [])])].filter((text) => text !== "");
  const plain = wholes.flatMap((text) => [
    ...[text, text.toUpperCase(), text.toLowerCase(), [...text].reverse().join("")],
    ...escapedForJson(text),
    ...escapedForHtml(text),
    ...escapedForUrls(text),
  ]);
  const spaced = [trimmed, ...inOctal(trimmed)].map(packed).filter((text) => text.length >= MIN_SPACED_CHARS);
  const encoded = [...spaced, ...wholes.flatMap((text) => inBytes(encoder.encode(text)))];
  return { plain: [...new Set(plain)], encoded: [...new Set(encoded)] };
}

function escapedForJson(text: string): string[] {
  const once = JSON.stringify(text).slice(1, -1);
  const ascii = once.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const slashed = once.replaceAll("/", "\\/");
  return [once, ascii, slashed, JSON.stringify(once).slice(1, -1)];
}

/** As in shells' `$'…'`: non-ASCII letters by code point, or byte by byte. */
function inOctal(text: string): string[] {
  const octal = (unit: number) => `\\${unit.toString(8).padStart(3, "0")}`;
  return [
    text.replace(/[^\0-\x7f]/g, (letter) => octal(letter.charCodeAt(0))),
    text.replace(/[^\0-\x7f]+/g, (letters) => Array.from(encoder.encode(letters), octal).join("")),
  ];
}

function escapedForHtml(text: string): string[] {
  const marks: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const most = text.replace(/[&<>"]/g, (mark) => marks[mark] ?? mark);
  return [most, ...["&apos;", "&#39;", "&#x27;"].map((quote) => most.replaceAll("'", quote))];
}

/** As JavaScript, RFC 3986 and forms escape, and with every byte escaped; with hex digits in both cases. */
function escapedForUrls(text: string): string[] {
  const bytes = encoder.encode(text);
  const keep = (pattern: RegExp) =>
    Array.from(bytes, (byte) => {
      const character = String.fromCharCode(byte);
      return pattern.test(character) ? character : `%${hex(byte).toUpperCase()}`;
    }).join("");
  const forms = [keep(/[\w.~!*'()-]/), keep(/[\w.~-]/), keep(/[\w.*-]/), keep(/[^\0-\uffff]/)];
  return forms.flatMap((form) => {
    const lower = form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
    return [form, lower, form.replaceAll("%20", "+"), lower.replaceAll("%20", "+")];
  });
}

/** Hex, octal, and base64 in both alphabets at each of the three alignments within a group of three bytes. */
function inBytes(bytes: Uint8Array): string[] {
  const digits = Array.from(bytes, hex).join("");
  const base64 = [0, 1, 2].map((offset) => {
    const text = btoa(String.fromCharCode(...new Uint8Array(offset), ...bytes));
    // Only the characters whose six bits all belong to the value.
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  const forUrls = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  const octal = Array.from(bytes, (byte) => byte.toString(8).padStart(3, "0")).join("");
  return [digits, digits.toUpperCase(), octal, ...base64, ...forUrls];
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
