import { byteLength } from "../../lib/text.ts";
import { readMarkdown } from "../markdown.ts";
import { simpleMarkdown } from "../simple-markdown.ts";
import { splitRuns } from "../split.ts";
import { isVisible } from "../styled-text.ts";

/** Longest content of a message, in UTF-8 bytes. */
export const MAX_CONTENT_BYTES = 2048;

/** Formats a reply as contents of messages. WeCom's Markdown has no escapes. */
export function formatWecom(markdown: string): string[] {
  const runs = readMarkdown(markdown.toWellFormed(), (href) => /^https?:\/\//.test(href));
  const write = (part: typeof runs) => simpleMarkdown(part, (text) => text);
  const fits = (part: typeof runs) => byteLength(write(part)) <= MAX_CONTENT_BYTES;
  return splitRuns(runs, { units: MAX_CONTENT_BYTES, fits }).filter(isVisible).map(write);
}

/** The words of a message without our markup. */
export function plainWecom(content: string): string {
  return content
    .replace(/^```.*\n?/gm, "")
    .replace(/\*\*|~~|`/g, "")
    .replace(/\[([^\]]*)\]\(([^)]*)\)/g, "$1 ($2)");
}
