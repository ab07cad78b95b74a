import { mapAroundUrls } from "./links.ts";
import type { TextPlace } from "./syntax.ts";

/**
 * What is syntax within a line: escapes and code; emphasis; tags and references; the middle of a link, a footnote; a
 * spoiler. Then what is syntax in the label of a link, and in a cell of a table.
 */
const SYNTAX =
  /([\\`]|[*~](?!(?<=\s.)\s)|_(?!(?<=[\p{L}\p{N}]_)[\p{L}\p{N}])|<(?=[a-z/!?]|$)|&(?=#?\w{1,32};)|\](?=[([:])|\[(?=\^)|\|(?=\|)|(?<=\|)\|)|([[\]])|(\|)/giu;

/** What begins a heading, a list, a quote, a table or a definition, or underlines a heading. */
const BLOCK_START = /^(?:#{1,6}(?=\s|$)|[-+](?=[\s#-]|$)|=(?==*\s*$)|[>|[]|:(?=-))/;
const NUMBER = /^(\d{1,9})([.)])(?=\s|$)/;

/**
 * Escapes what a parser of Markdown would take for syntax, and little else, so that the text reads well without one too.
 * @param escaped writes one character as itself
 * @param url writes a bare web address, in which nothing can be escaped
 */
export function escapeMarkdown(
  text: string,
  { atBlockStart, inLink, inCell }: TextPlace,
  escaped: (sign: string) => string,
  url: (address: string) => string = withoutSigns,
): string {
  const escapeSyntax = (sign: string, always?: string, inLabel?: string) => {
    return always !== undefined || (inLabel === undefined ? inCell : inLink) ? escaped(sign) : sign;
  };
  const escapeAll = (words: string, isFirst: boolean) => {
    if (!atBlockStart || !isFirst) return words.replace(SYNTAX, escapeSyntax);
    // Indentation would begin a code block.
    const block = words.trimStart();
    if (BLOCK_START.test(block)) return escaped(block.charAt(0)) + block.slice(1).replace(SYNTAX, escapeSyntax);
    return block.replace(SYNTAX, escapeSyntax).replace(NUMBER, (_, number, sign) => number + escaped(sign));
  };
  return inLink ? escapeAll(text, true) : mapAroundUrls(text, escapeAll, url);
}

/** An address in which nothing is emphasis. */
function withoutSigns(url: string): string {
  return url.replace(/~|_(?!(?<=[a-z\d]_)[a-z\d])/gi, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
