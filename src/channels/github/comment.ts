import type { Token } from "markdown-it";
import { createParser, MAX_MARKDOWN_UNITS } from "../markdown-parser.ts";

/** What a comment says. */
export interface ReadComment {
  /** Its author's own words. */
  text: string;
  /** The words that it quotes; empty if it quotes none. */
  quoted: string;
  /** Whether it mentions the agent. */
  mentioned: boolean;
}

const parser = createParser().set({ html: true });

/**
 * Reads a comment in GitHub's Markdown as people see it: comments of HTML are not shown, what is quoted is somebody
 * else's, and a name in code is no mention. A mention that it begins with is only a call.
 * @param name the agent's, without the @
 */
export function readComment(markdown: string, name: string): ReadComment {
  const body = markdown.replaceAll("\r\n", "\n");
  if (body.length > MAX_MARKDOWN_UNITS) return { text: body.trim(), quoted: "", mentioned: mentions(body, name) };
  const tokens = parser.parse(body, {});
  const own: string[] = [];
  const quotes: string[] = [];
  const lines = body.split("\n");
  let at = 0;
  for (const { isQuote, from, to } of foreignBlocks(tokens)) {
    own.push(lines.slice(at, from).join("\n"));
    if (isQuote) quotes.push(unquoted(lines.slice(from, to)));
    at = to;
  }
  own.push(lines.slice(at).join("\n"));
  return {
    text: withoutCall(paragraphs(own), name),
    quoted: paragraphs(quotes),
    mentioned: mentions(shownWords(tokens), name),
  };
}

/** Texts with a blank line between them. */
function paragraphs(texts: readonly string[]): string {
  return texts.flatMap((text) => text.trim() || []).join("\n\n");
}

/** Lines that are not the author's words. */
interface ForeignBlock {
  isQuote: boolean;
  from: number;
  to: number;
}

/** The quotes and the comments of HTML that are in no other block. */
function foreignBlocks(tokens: readonly Token[]): ForeignBlock[] {
  return tokens.flatMap((token) => {
    const isQuote = token.type === "blockquote_open";
    if (token.level > 0 || token.map === null || !(isQuote || isComment(token))) return [];
    const [from, to] = token.map;
    return [{ isQuote, from, to }];
  });
}

/** Whether a block is a comment of HTML with nothing behind it. */
function isComment({ type, content }: Token): boolean {
  if (type !== "html_block" || !content.trimStart().startsWith("<!--")) return false;
  const end = content.indexOf("-->");
  return end === -1 || content.slice(end + "-->".length).trim() === "";
}

/** The lines of a quote, without the signs of the outermost. */
function unquoted(lines: readonly string[]): string {
  return lines.map((line) => line.replace(/^ {0,3}> ?/, "")).join("\n");
}

/** The words of texts outside of quotes, without code and HTML. */
function shownWords(tokens: readonly Token[]): string {
  let depth = 0;
  const texts: string[] = [];
  for (const { type, children } of tokens) {
    if (type === "blockquote_open") depth++;
    if (type === "blockquote_close") depth--;
    if (depth === 0 && type === "inline") texts.push((children ?? []).map(inlineWords).join(""));
  }
  return texts.join("\n");
}

function inlineWords({ type, content }: Token): string {
  if (type === "text" || type === "text_special") return content;
  const isUnspoken = ["softbreak", "hardbreak", "code_inline", "html_inline", "image"].includes(type);
  return isUnspoken ? " " : "";
}

/** Whole names: not the beginning of a team's or of an address. */
const MENTION = /(?<![\w@/.-])@([\w-]+)(?![\w/-])/g;

function mentions(text: string, name: string): boolean {
  return [...text.matchAll(MENTION)].some(([, mentioned]) => isSameName(mentioned, name));
}

/** A text without the mention of the agent that it begins with. */
function withoutCall(text: string, name: string): string {
  const [call, mentioned] = /^@([\w-]+)(?![\w/-])(?:\[bot\])?[,:]?\s*/.exec(text) ?? [];
  return call !== undefined && isSameName(mentioned, name) ? text.slice(call.length) : text;
}

function isSameName(mentioned: string | undefined, name: string): boolean {
  return mentioned?.toLowerCase() === name.toLowerCase();
}
