import { byteLength } from "../../lib/text.ts";
import { readMarkdown } from "../markdown.ts";
import { simpleMarkdown } from "../simple-markdown.ts";
import { splitRuns } from "../split.ts";
import { isVisible } from "../styled-text.ts";
import { cardContent } from "./card.ts";

/** Largest request of a card, in bytes; what a request has besides the text is well below the rest. */
const MAX_CARD_BYTES = 28 * 1024;
/** Fewer UTF-16 units than bytes always fit. */
const MAX_UNITS = MAX_CARD_BYTES;

/** Formats a reply as texts of cards, each within their limit. */
export function formatCard(markdown: string): string[] {
  const runs = readMarkdown(markdown.toWellFormed(), (href) => /^https?:\/\//.test(href));
  const write = (part: typeof runs) => simpleMarkdown(part, escapeText);
  const limit = { units: MAX_UNITS, fits: (part: typeof runs) => requestBytes(write(part)) <= MAX_CARD_BYTES };
  return splitRuns(runs, limit).filter(isVisible).map(write);
}

/** The text of a card is JSON in JSON. */
function requestBytes(text: string): number {
  return byteLength(JSON.stringify({ content: cardContent(text) }));
}

/** Cards read character references. */
function escapeText(text: string): string {
  return text.replace(/[&<>*_~`[\]\\#|$]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The words of a card without our markup. */
export function plainCard(text: string): string {
  const bare = text
    .replace(/^```.*$/gm, "")
    .replace(/\*\*|~~|`/g, "")
    .replace(/\[([^\]]*)\]\(([^)]*)\)/g, "$1 ($2)");
  return bare.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
