const encoder = new TextEncoder();

/** Shortest line of a value of several lines that is looked for by itself: a key is often shown in part. */
const MIN_LINE_CHARS = 16;

/** The ways in which a value is commonly written down. */
export interface SecretForms {
  /** Found only as they are. */
  plain: readonly string[];
  /** Base64 and hex, which programs break into lines and groups: found with space in them, too. */
  encoded: readonly string[];
}

/**
 * How a secret may look in a text: as it is, escaped for JSON (also twice), HTML and URLs, in base64 and hex. What else a
 * program can make of it, such as one character a line, cannot be listed.
 */
export function formsOf(value: string): SecretForms {
  const trimmed = value.trim();
  const lines = trimmed.split(/\r?\n/).filter((line) => line.length >= MIN_LINE_CHARS && !line.startsWith("-----"));
  const wholes = [...new Set([value, trimmed, ...(trimmed.includes("\n") ? lines : [])])].filter((text) => text !== "");
  const plain = wholes.flatMap((text) => [
    text,
    ...escapedForJson(text),
    escapedForHtml(text),
    ...escapedForUrls(text),
  ]);
  const encoded = wholes.flatMap((text) => inBytes(encoder.encode(text)));
  return { plain: [...new Set(plain)], encoded: [...new Set(encoded)] };
}

function escapedForJson(text: string): string[] {
  const once = JSON.stringify(text).slice(1, -1);
  const ascii = once.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const slashed = once.replaceAll("/", "\\/");
  return [once, ascii, slashed, JSON.stringify(once).slice(1, -1)];
}

function escapedForHtml(text: string): string {
  const marks: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (mark) => marks[mark] ?? mark);
}

/** As JavaScript does it, as RFC 3986 and forms do, and with every byte escaped; with either kind of hex digits. */
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

/** Hex, and base64 in both alphabets at each of the three places where a value can begin in a group of three bytes. */
function inBytes(bytes: Uint8Array): string[] {
  const digits = Array.from(bytes, hex).join("");
  const base64 = [0, 1, 2].map((offset) => {
    const text = btoa(String.fromCharCode(...new Uint8Array(offset), ...bytes));
    // Only the characters all of whose six bits are the value's own.
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  const forUrls = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [digits, digits.toUpperCase(), ...base64, ...forUrls];
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
