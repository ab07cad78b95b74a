/** A heading of a Markdown page. */
export interface Heading {
  /** The fragment of a link to it, without `#`. */
  slug: string;
  text: string;
  /** 1 is the page's title. */
  depth: number;
  /** Counted from 1. */
  line: number;
}

/** Every heading of a page, in order; lines in code fences do not count. */
export function headingsOf(markdown: string): Heading[] {
  const found: Heading[] = [];
  const slugs = new Slugs();
  let fence: string | undefined;
  for (const [i, line] of markdown.split("\n").entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
    }
    const [, marks = "", text = ""] = (fence === undefined && /^(#{1,6})\s+(.*?)\s*$/.exec(line)) || [];
    if (marks !== "") found.push({ slug: slugs.of(text), text, depth: marks.length, line: i + 1 });
  }
  return found;
}

/** Slugs of one page's headings, as on GitHub: the second heading of a name gets `-1`. */
export class Slugs {
  readonly #seen = new Map<string, number>();

  /** The slug of the next heading. */
  of(text: string): string {
    const slug = text
      .toLowerCase()
      .trim()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    const times = this.#seen.get(slug) ?? 0;
    this.#seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  }
}
