import { byteLength } from "../../lib/text.ts";
import { readMarkdown } from "../markdown.ts";
import { simpleMarkdown } from "../simple-markdown.ts";
import { splitRuns } from "../split.ts";
import { isVisible } from "../styled-text.ts";

/** Longest text of a message, in UTF-8 bytes: DingTalk's limit of 20,000 without the title and the answers below it. */
const MAX_TEXT_BYTES = 18_000;

/** Formats a reply as texts of messages, each within their limit. */
export function formatDingtalk(markdown: string): string[] {
  const runs = readMarkdown(markdown.toWellFormed(), (href) => /^https?:\/\//.test(href));
  const write = (part: typeof runs) => simpleMarkdown(part, escapeText);
  const fits = (part: typeof runs) => byteLength(write(part)) <= MAX_TEXT_BYTES;
  return splitRuns(runs, { units: MAX_TEXT_BYTES, fits }).filter(isVisible).map(write);
}

function escapeText(text: string): string {
  return text.replace(/[\\*_`[\]#<>]/g, "\\$&");
}

/** The words of a message without our markup. */
export function plainDingtalk(text: string): string {
  return text
    .replace(/^```.*\n?/gm, "")
    .replace(/(?<!\\)(?:\*\*|~~|`)/g, "")
    .replace(/(?<!\\)\[([^\]]*)\]\(([^)]*)\)/g, "$1 ($2)")
    .replace(/\\([\\*_`[\]#<>])/g, "$1");
}
