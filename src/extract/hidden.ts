/** The attributes of an element. */
export type Attributes = Readonly<Record<string, string>>;

/** What a page hides, besides by files and scripts, which are not loaded. */
export interface HiddenTest {
  /** By an attribute or the style of the element itself. */
  byElement(attributes: Attributes): boolean;
  /** By a style sheet inside of the page. Often a script shows it later: a tab, or an answer that folds out. */
  bySheet(attributes: Attributes): boolean;
}

/** Most characters of style sheets that are read. */
const MAX_SHEET_CHARS = 500_000;

const HIDING =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*(?:0(?:\.0+)?|\.0+)\s*(?:[;!]|$)|text-indent\s*:\s*-\d{3}|(?:left|top|right|margin-left|margin-top)\s*:\s*-\d{4}|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\))/i;
const FONT_SIZE =
  /(?:^|[;\s])font(?:-size)?\s*:[^;]*?(?<![\w.#])(\d+(?:\.\d+)?|\.\d+)(px|pt|em|rem|%|(?=\s*(?:[;!/]|$)))/i;
/** The largest sizes that nobody can read, by unit; a size without a unit is none, except 0. */
const UNREADABLE: Readonly<Record<string, number>> = { px: 2, pt: 1.5, em: 0.15, rem: 0.15, "%": 15, "": 0 };

/** The test for a page. */
export function createHiddenTest(html: string): HiddenTest {
  const hidden = hiddenNames(html);
  return {
    byElement(attributes) {
      if (attributes.hidden !== undefined && attributes.hidden !== "until-found") return !isStreamed(attributes, html);
      if (attributes["aria-hidden"] === "true") return true;
      return attributes.style !== undefined && isHidingStyle(attributes.style);
    },
    bySheet({ id, class: classes }) {
      if (hidden.size === 0) return false;
      if (id !== undefined && hidden.has(`#${id}`)) return true;
      return classes?.split(/\s+/).some((name) => hidden.has(`.${name}`)) ?? false;
    },
  };
}

/** Parts that React sends later are hidden until its script, `$RC`, puts them in their place. */
function isStreamed({ id = "" }: Attributes, html: string): boolean {
  return /^S:\w+$/.test(id) && html.includes(`"${id}")`);
}

function isHidingStyle(style: string): boolean {
  if (HIDING.test(style)) return true;
  const [, size, unit = ""] = FONT_SIZE.exec(style) ?? [];
  return size !== undefined && Number(size) <= (UNREADABLE[unit.toLowerCase()] ?? 0);
}

/** The classes and ids that the page's own style sheets hide in every case: rules of media and the like do not count. */
function hiddenNames(html: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { selectors, declarations } of topRules(styleSheets(html))) {
    if (!isHidingStyle(declarations)) continue;
    for (const selector of selectors.split(",")) {
      const simple = selector.trim();
      if (/^[.#][\w-]+$/.test(simple)) names.add(simple);
    }
  }
  return names;
}

function styleSheets(html: string): string {
  const begin = /<style\b[^>]{0,200}>/gi;
  const end = /<\/style/gi;
  let sheets = "";
  while (sheets.length < MAX_SHEET_CHARS && begin.exec(html) !== null) {
    end.lastIndex = begin.lastIndex;
    const last = end.exec(html);
    if (last === null) break;
    sheets += `${html.slice(begin.lastIndex, Math.min(last.index, begin.lastIndex + MAX_SHEET_CHARS))}\n`;
    begin.lastIndex = end.lastIndex;
  }
  return withoutComments(sheets);
}

function withoutComments(css: string): string {
  let plain = "";
  let from = 0;
  for (let open = css.indexOf("/*"); open !== -1; open = css.indexOf("/*", from)) {
    plain += css.slice(from, open);
    const close = css.indexOf("*/", open + 2);
    if (close === -1) return plain;
    from = close + 2;
  }
  return plain + css.slice(from);
}

/** The rules of a style sheet outside of `@media` and other blocks. */
function* topRules(css: string): Generator<{ selectors: string; declarations: string }> {
  let from = 0;
  while (from < css.length) {
    const open = css.indexOf("{", from);
    if (open === -1) return;
    const before = css.slice(from, open);
    const selectors = before.slice(before.lastIndexOf(";") + 1).trim();
    const close = selectors.startsWith("@") ? blockEnd(css, open) : css.indexOf("}", open);
    if (close === -1) return;
    if (!selectors.startsWith("@")) yield { selectors, declarations: css.slice(open + 1, close) };
    from = close + 1;
  }
}

function blockEnd(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at++) {
    if (css[at] === "{") depth++;
    else if (css[at] === "}" && --depth === 0) return at;
  }
  return -1;
}
