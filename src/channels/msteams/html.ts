const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** Decodes the character references that Teams writes into texts. */
export function decodeReferences(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[String(name).toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole;
  });
}

/** The text of HTML as Teams writes it: blocks and breaks become lines, and an emoji is its own description. */
export function htmlText(html: string): string {
  const bare = html
    .replace(/\s*\n\s*/g, " ")
    .replace(/<img\b[^<>]*>/gi, (tag) => (tag.includes("Emoji") ? (/\balt="([^"]*)"/i.exec(tag)?.[1] ?? "") : ""))
    .replace(/<br\s*\/?>|<\/(?:p|div|li|h\d|blockquote|tr)>/gi, "\n")
    .replace(/<[^<>]*>/g, "");
  const lines = decodeReferences(bare).split("\n");
  return lines
    .map((line) => line.trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
