import { Lexer, type MarkedToken, type Token, type Tokens } from "marked";

/** What a comment says. */
export interface ReadComment {
  /** Its author's own words. */
  text: string;
  /** The words that it quotes; empty if it quotes none. */
  quoted: string;
  /** Whether it mentions the agent. */
  mentioned: boolean;
}

/** Longer comments are not parsed: the parser's time is quadratic for some inputs. */
const MAX_PARSED_UNITS = 50_000;

/**
 * Reads a comment in GitHub's Markdown as people see it: comments of HTML are not shown, what is quoted is somebody
 * else's, and a name in code is no mention. A mention that it begins with is only a call.
 * @param name the agent's, without the @
 */
export function readComment(markdown: string, name: string): ReadComment {
  const body = markdown.replaceAll("\r\n", "\n");
  const tokens = body.length > MAX_PARSED_UNITS ? undefined : lex(body);
  if (tokens === undefined) return { text: body.trim(), quoted: "", mentioned: mentions(body, name) };
  const own = tokens.filter((token) => token.type !== "blockquote" && !isHidden(token));
  const quotes = tokens.flatMap((token) => (token.type === "blockquote" ? [token.text.trim()] : []));
  const text = (own.length === tokens.length ? body : joined(own)).trim();
  return { text: withoutCall(text, name), quoted: quotes.join("\n\n"), mentioned: mentions(shownWords(own), name) };
}

/** Blocks with a blank line between them. */
function joined(tokens: readonly Token[]): string {
  return tokens.flatMap(({ type, raw }) => (type === "space" ? [] : [raw.trimEnd()])).join("\n\n");
}

function lex(markdown: string): Token[] | undefined {
  try {
    return new Lexer({ gfm: true }).lex(markdown);
  } catch (error) {
    // Nested deeper than the call stack allows.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
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

function isHidden(token: Token): boolean {
  return token.type === "html" && token.raw.startsWith("<!--");
}

const UNSPOKEN: ReadonlySet<string> = new Set(["code", "codespan", "blockquote", "html", "image", "def"]);

/** The words of tokens, without code, quotes, HTML and addresses. */
function shownWords(tokens: readonly Token[]): string {
  return tokens.map((token) => tokenWords(token as MarkedToken)).join("");
}

/** @param token of the parser without extensions */
function tokenWords(token: MarkedToken): string {
  if (UNSPOKEN.has(token.type)) return " ";
  switch (token.type) {
    case "list":
      return token.items.map((item) => shownWords(item.tokens)).join("\n");
    case "table":
      return tableWords(token);
    case "link":
      return token.autolink ? " " : shownWords(token.tokens);
    case "escape":
      return token.text;
    default:
      return "tokens" in token && token.tokens !== undefined ? shownWords(token.tokens) : token.raw;
  }
}

function tableWords({ header, rows }: Tokens.Table): string {
  return [header, ...rows].flatMap((row) => row.map((cell) => shownWords(cell.tokens))).join(" ");
}
