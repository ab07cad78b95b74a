/** Longest HTML that is read, in UTF-16 units. */
const MAX_HTML_UNITS = 1_000_000;
/** A line is ended here at its next piece: each piece costs as much as the line is long. */
const MAX_LINE_UNITS = 4_000;

/** Quotations in quotations are marked up to this depth. */
const MAX_QUOTES = 20;

/** Elements that begin and end a line. */
const BLOCKS = new Set(
  "address article blockquote br center dd div dl dt footer h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table tr ul".split(
    " ",
  ),
);
/** Elements with an empty line around them. */
const PARAGRAPHS = new Set(["blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "p", "pre", "table", "ul"]);
/** Elements whose content is not shown. */
const UNSEEN = new Set(["head", "noscript", "script", "style", "template", "title"]);
/** Elements without an end. */
const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"]);

/**
 * The text of a mail's HTML as a person sees it: lines, bullets, addresses of links, and quotations as lines that begin
 * with `>`. Takes linear time.
 */
export function htmlToText(html: string): string {
  const reader = new HtmlReader();
  reader.read(html.slice(0, MAX_HTML_UNITS));
  return reader.text();
}

class HtmlReader {
  readonly #lines: string[] = [];
  #line = "";
  #quotes = 0;
  #isPreformatted = false;
  /** The address of the link that is open, and where its text begins. */
  #link: { href: string; from: number } | undefined;
  /** The element that hides what is in it, and how many of its name are open. */
  #hidden: { name: string; depth: number } | undefined;

  read(html: string): void {
    let at = 0;
    while (at < html.length) {
      const open = html.indexOf("<", at);
      this.#put(html.slice(at, open === -1 ? html.length : open));
      if (open === -1) return;
      const isComment = html.startsWith("<!--", open);
      const close = html.indexOf(isComment ? "-->" : ">", open);
      if (close === -1) return;
      if (!isComment) this.#tag(html.slice(open + 1, close));
      at = close + (isComment ? 3 : 1);
    }
  }

  text(): string {
    this.#endLine();
    return this.#lines.join("\n").trim();
  }

  #tag(tag: string): void {
    const [, slash = "", name = ""] = /^(\/?)([a-z][a-z0-9]*)/i.exec(tag)?.map((part) => part.toLowerCase()) ?? [];
    if (name === "") return;
    const isEnd = slash !== "";
    if (this.#hides(name, tag, isEnd)) return;
    if (BLOCKS.has(name)) this.#endLine();
    if (name === "blockquote" && isEnd) this.#quotes = Math.max(0, this.#quotes - 1);
    if (PARAGRAPHS.has(name)) this.#emptyLine();
    switch (name) {
      case "blockquote":
        if (!isEnd) this.#quotes++;
        break;
      case "pre":
        this.#isPreformatted = !isEnd;
        break;
      case "hr":
        this.#line = "----------";
        break;
      case "li":
        if (!isEnd) this.#line = "- ";
        break;
      case "td":
      case "th":
        if (this.#line.trim() !== "") this.#line = `${this.#line.trimEnd()} `;
        break;
      case "img":
        this.#put(attribute(tag, "alt"));
        break;
      case "a":
        if (isEnd) this.#endLink();
        else this.#link = { href: decodeEntities(attribute(tag, "href")), from: this.#line.length };
        break;
    }
  }

  /** Notes what hides its content, and whether a tag is within such. */
  #hides(name: string, tag: string, isEnd: boolean): boolean {
    if (this.#hidden !== undefined) {
      if (name === this.#hidden.name && !VOID.has(name)) this.#hidden.depth += isEnd ? -1 : 1;
      if (this.#hidden.depth === 0) this.#hidden = undefined;
      return true;
    }
    const isUnseen = UNSEEN.has(name) || /display\s*:\s*none/i.test(attribute(tag, "style"));
    if (!isUnseen || isEnd || VOID.has(name) || tag.endsWith("/")) return false;
    this.#hidden = { name, depth: 1 };
    return true;
  }

  #put(html: string): void {
    if (this.#hidden !== undefined || html === "") return;
    if (this.#line.length > MAX_LINE_UNITS) {
      this.#endLine();
      if (this.#link !== undefined) this.#link.from = 0;
    }
    const text = decodeEntities(html).replaceAll("\u00a0", " ");
    if (this.#isPreformatted) {
      const [first = "", ...others] = text.split("\n");
      this.#line += first;
      for (const line of others) {
        this.#endLine();
        this.#line = line;
      }
      return;
    }
    const folded = text.replace(/\s+/g, " ");
    this.#line += this.#line === "" || this.#line.endsWith(" ") ? folded.trimStart() : folded;
  }

  #endLink(): void {
    if (this.#link === undefined) return;
    const { href, from } = this.#link;
    const label = this.#line.slice(from).trim();
    this.#link = undefined;
    if (/^https?:/i.test(href) && !href.includes(label)) this.#line += ` (${href})`;
  }

  #endLine(): void {
    const line = this.#line.trimEnd();
    this.#line = "";
    if (line !== "") this.#lines.push(`${this.#marks()}${line}`);
  }

  #emptyLine(): void {
    const last = this.#lines.at(-1) ?? "";
    if (!/^[> ]*$/.test(last)) this.#lines.push(this.#marks().trimEnd());
  }

  /** The signs of the quotations that are open. */
  #marks(): string {
    return "> ".repeat(Math.min(this.#quotes, MAX_QUOTES));
  }
}

function attribute(tag: string, name: string): string {
  for (const [, found = "", double, single, plain] of tag.matchAll(ATTRIBUTE)) {
    if (found.toLowerCase() === name) return double ?? single ?? plain ?? "";
  }
  return "";
}

const ATTRIBUTE = /\s([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/gi;

const NAMED: Readonly<Record<string, string>> = {
  ...{
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: "\u00a0",
    shy: "",
    zwnj: "",
    zwj: "",
    ensp: " ",
    emsp: " ",
  },
  ...{ hellip: "…", mdash: "—", ndash: "–", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»" },
  ...{ bull: "•", middot: "·", euro: "€", pound: "£", yen: "¥", copy: "©", reg: "®", trade: "™", deg: "°", times: "×" },
  ...{ auml: "ä", ouml: "ö", uuml: "ü", Auml: "Ä", Ouml: "Ö", Uuml: "Ü", szlig: "ß", eacute: "é", egrave: "è" },
  ...{ ecirc: "ê", agrave: "à", acirc: "â", ccedil: "ç", ocirc: "ô", ntilde: "ñ", aacute: "á", iacute: "í" },
  ...{ oacute: "ó", uacute: "ú", aring: "å", oslash: "ø", aelig: "æ", iexcl: "¡", iquest: "¿", thinsp: " " },
};

function decodeEntities(html: string): string {
  return html.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : "";
  });
}
