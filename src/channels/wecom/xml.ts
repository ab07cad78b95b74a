/** Deeper and longer documents are not WeCom's. */
const MAX_DEPTH = 8;
const MAX_TOKENS = 2000;

/** One token: character data, a tag without attributes, or text. */
const TOKEN = /<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([A-Za-z_][\w.-]*)\s*(\/?)>|([^<]+)/y;

/**
 * Reads the elements directly below the root of a document, by name; the first of each counts. What is in deeper ones is
 * left out. Anything but elements, text and character data is refused, a document type above all: there are no entities
 * besides XML's five, so that nothing expands.
 * @returns undefined if it is no such document
 */
export function readXmlFields(xml: string): ReadonlyMap<string, string> | undefined {
  const text = xml.replace(/^\uFEFF?\s*(?:<\?xml[^?>]*\?>)?\s*/, "").trimEnd();
  const fields = new Map<string, string>();
  const open: string[] = [];
  let value = "";
  let at = 0;
  for (let tokens = 0; at < text.length; tokens++) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const isAfterRoot = at > 0 && open.length === 0;
    if (match === null || isAfterRoot || tokens >= MAX_TOKENS || open.length > MAX_DEPTH) return undefined;
    at = TOKEN.lastIndex;
    const [, data, slash, name, empty, words] = match;
    if (name === undefined) {
      if (open.length === 0) return undefined;
      if (open.length === 2) value += data ?? withReferences(words ?? "");
    } else if (slash === "/") {
      if (open.pop() !== name) return undefined;
      if (open.length === 1 && !fields.has(name)) fields.set(name, value);
    } else if (empty === "/") {
      if (open.length === 1 && !fields.has(name)) fields.set(name, "");
    } else {
      open.push(name);
      if (open.length === 2) value = "";
    }
  }
  return open.length === 0 && at > 0 ? fields : undefined;
}

const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Decodes the references that need no declaration; others stay as they are. */
function withReferences(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(lt|gt|amp|quot|apos));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}
