import { marked } from "marked";

const REFERENCES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** What a platform shows of a text in Markdown. */
export function shownMarkdown(text: string): string {
  const html = marked.parse(text, { async: false, gfm: true });
  const bare = html.replace(/<[^>]*>/g, "");
  return bare.replace(/&([a-z]+|#39);/g, (whole, name: string) => REFERENCES[name] ?? whole).trim();
}
