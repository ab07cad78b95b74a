/** What Telegram makes of a text in its HTML. */
export type ParsedHtml =
  | { ok: true; text: string; entities: { tag: string; offset: number; length: number; argument?: string }[] }
  | { ok: false; problem: string };

const TAGS = new Set("a b strong i em s strike del u ins tg-spoiler tg-emoji span pre code blockquote".split(" "));
const NAMED: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/**
 * Reads Telegram's HTML as the Bot API does: a few tags, well nested, and four named references. It is written apart
 * from the code that writes such HTML, so that each can prove the other wrong.
 */
export function parseTelegramHtml(html: string): ParsedHtml {
  const open: { tag: string; offset: number; argument?: string }[] = [];
  const entities: { tag: string; offset: number; length: number; argument?: string }[] = [];
  let text = "";
  for (let at = 0; at < html.length; ) {
    REFERENCE_OR_TEXT.lastIndex = at;
    const reference = REFERENCE_OR_TEXT.exec(html);
    if (reference) {
      text += characterOf(reference);
      at += reference[0].length;
      continue;
    }
    const where = `at byte offset ${new TextEncoder().encode(html.slice(0, at)).length}`;
    const tag = /^<(\/?)([^\s>]*)([^>]*)>/.exec(html.slice(at));
    if (!tag) return { ok: false, problem: `Unclosed start tag ${where}` };
    const [whole, closes, spelled, attributes] = tag as unknown as [string, string, string, string];
    const name = spelled.toLowerCase();
    at += whole.length;
    if (closes === "") {
      if (!TAGS.has(name)) return { ok: false, problem: `Unsupported start tag "${name}" ${where}` };
      const argument = /(?:href="|class="language-)([^"]*)"/.exec(attributes)?.[1];
      open.push({ tag: name, offset: text.length, ...(argument !== undefined && { argument: unescaped(argument) }) });
      continue;
    }
    const last = open.pop();
    if (!last) return { ok: false, problem: `Unexpected end tag ${where}` };
    if (last.tag !== name) {
      return { ok: false, problem: `Unmatched end tag ${where}, expected "</${last.tag}>", found "</${name}>"` };
    }
    if (text.length > last.offset) entities.push({ ...last, length: text.length - last.offset });
  }
  const unclosed = open.pop();
  if (unclosed) return { ok: false, problem: `Can't find end tag corresponding to start tag "${unclosed.tag}"` };
  return { ok: true, text, entities };
}

const REFERENCE_OR_TEXT = /&(?:#(\d+)|#x([\da-f]+)|(lt|gt|amp|quot));?|[^<&]+|&/iy;

function characterOf([whole, decimal, hex, name]: RegExpExecArray): string {
  if (decimal === undefined && hex === undefined && name === undefined) return whole;
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
  return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? "0", 16) : Number(decimal));
}

function unescaped(value: string): string {
  return value.replace(/&(lt|gt|amp|quot);/g, (whole, name) => NAMED[name] ?? whole);
}
