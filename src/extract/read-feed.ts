import { Parser } from "htmlparser2";
import { TreeBuilder } from "./build-tree.ts";
import { toMarkdown } from "./markdown.ts";
import type { ReadablePage } from "./read-html.ts";
import { readVisible } from "./visible-html.ts";

/** The most entries that are shown. */
const MAX_ENTRIES = 500;
/** The most characters of a field, and of all fields together; later entries have no text. */
const MAX_FIELD_CHARS = 50_000;
const MAX_CHARS = 2_000_000;
/** No feed is deeper: other XML is no feed. */
const MAX_DEPTH = 50;

const ROOTS = new Set(["rss", "feed", "rdf:rdf"]);
const ENTRIES = new Set(["item", "entry"]);

/** What a feed or an entry has, by the names of RSS, Atom and RDF; of two the first counts. */
const FIELDS = {
  title: ["title"],
  link: ["link"],
  date: ["pubdate", "published", "updated", "dc:date"],
  text: ["description", "summary", "subtitle", "content:encoded", "content"],
} as const;
const KNOWN = new Set<string>(Object.values(FIELDS).flat());

/** The fields of a feed or an entry, by their names in lower case. */
type Fields = Map<string, string>;

/** An RSS, Atom or RDF feed as Markdown, one heading for each entry; undefined if a text is none. */
export function readFeed(xml: string, address: string): ReadablePage | undefined {
  const parsed = parseFeed(xml);
  if (parsed === undefined) return undefined;
  const { feed, entries, count } = parsed;
  const about = htmlText(field(feed, "text"), address);
  const text = [...(about === "" ? [] : [about]), ...entries.map((entry) => entryText(entry, address))].join("\n\n");
  const title = htmlText(field(feed, "title"), address);
  return { title, text, ...(count > MAX_ENTRIES && { note: `Only the first ${MAX_ENTRIES} of ${count} entries.` }) };
}

function parseFeed(xml: string): { feed: Fields; entries: Fields[]; count: number } | undefined {
  const feed: Fields = new Map();
  const entries: Fields[] = [];
  const path: string[] = [];
  let count = 0;
  let chars = 0;
  let isFeed = true;
  /** The entry that is open; undefined beyond the last that is shown. */
  let entry: Fields | undefined;
  /** The field that is open, at its depth. */
  let open: { name: string; depth: number; text: string } | undefined;
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const name = tag.toLowerCase();
        if (path.length === 0) isFeed &&= ROOTS.has(name);
        path.push(name);
        if (!isFeed || path.length > MAX_DEPTH) {
          isFeed = false;
          parser.pause();
        } else if (ENTRIES.has(name)) {
          entry = ++count <= MAX_ENTRIES ? new Map() : undefined;
          if (entry !== undefined) entries.push(entry);
        } else if (open === undefined && KNOWN.has(name)) {
          const isOther = attributes.rel !== undefined && attributes.rel !== "alternate";
          if (!(name === "link" && isOther)) open = { name, depth: path.length, text: attributes.href ?? "" };
        }
      },
      ontext(text) {
        if (open === undefined || open.text.length > MAX_FIELD_CHARS || chars > MAX_CHARS) return;
        open.text += text;
        chars += text.length;
      },
      onclosetag() {
        if (open?.depth === path.length) {
          const isInEntry = path.some((name) => ENTRIES.has(name));
          const fields = isInEntry ? entry : feed;
          if (fields !== undefined && !fields.has(open.name)) fields.set(open.name, open.text.trim());
          open = undefined;
        }
        path.pop();
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return isFeed && path.length === 0 ? { feed, entries, count } : undefined;
}

function field(fields: Fields, wanted: keyof typeof FIELDS): string {
  return FIELDS[wanted].map((name) => fields.get(name)).find((text) => text !== undefined && text !== "") ?? "";
}

function entryText(entry: Fields, address: string): string {
  const href = field(entry, "link");
  const link = href === "" ? undefined : URL.parse(href, address)?.href;
  const name = htmlText(field(entry, "title"), address).replace(/\n+/g, " ") || link || "(no title)";
  const heading = `## ${link === undefined ? name : `[${name}](${link})`}`;
  return [heading, field(entry, "date"), htmlText(field(entry, "text"), address)]
    .filter((line) => line !== "")
    .join("\n");
}

/** The text of a field, which may be HTML. */
function htmlText(text: string, address: string): string {
  if (!/[<&]/.test(text)) return text;
  const { document } = readVisible(text, () => new TreeBuilder(address)).visitor;
  return document === undefined ? "" : toMarkdown(document.body, address);
}
