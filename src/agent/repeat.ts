/** Fewest characters, bare, with which a text can be found in another by more than chance. */
const MIN_CHARS = 10;
/** Share of a text that has to be known already for the text to say nothing new. */
const KNOWN_SHARE = 0.8;

/**
 * Whether a text says nothing that was not sent before. Compared bare, without case, white space and Markdown's marks: it
 * is one of the texts, or stands in one (from 10 characters on), or consists of one by four fifths or more.
 */
export function repeats(text: string, sent: readonly string[]): boolean {
  const said = bare(text);
  return sent.some((other) => {
    const known = bare(other);
    if (said === known) return true;
    if (said.length >= MIN_CHARS && known.includes(said)) return true;
    return known.length >= Math.max(MIN_CHARS, KNOWN_SHARE * said.length) && said.includes(known);
  });
}

function bare(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s*_~`#>|\\]+/gu, "")
    .replace(/^[-+]|(?<![.!。！])[.!。！]+$/gu, "");
}
