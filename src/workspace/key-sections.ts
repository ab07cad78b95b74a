import { wholeHead } from "../lib/text.ts";

/** The sections of AGENTS.md that matter in every conversation: as OpenClaw calls them now, and as it once did. */
const NAMES = ["session startup", "red lines", "every session", "safety"];

/** Most characters of them that are remembered. */
const MAX_CHARS = 8000;

/** The sections of an AGENTS.md whose headings say that they matter most, each with its heading, in order. */
export function keySectionsOf(text: string): string {
  const sections: string[][] = [];
  let openLevel = 0;
  let fence = "";
  for (const line of text.split(/\r\n?|\n/)) {
    const [, marks = "", rest = ""] = (fence === "" && /^(#{1,6})[ \t](.*)$/.exec(line)) || [];
    if (marks !== "" && marks.length <= openLevel) openLevel = 0;
    if (openLevel === 0 && NAMES.includes(nameOf(rest))) {
      openLevel = marks.length;
      sections.push([]);
    }
    if (openLevel > 0) sections.at(-1)?.push(line);
    const border = /^ {0,3}(```|~~~)/.exec(line)?.[1] ?? "";
    if (fence === "") fence = border;
    else if (border === fence) fence = "";
  }
  return wholeHead(sections.map((lines) => lines.join("\n").trim()).join("\n\n"), MAX_CHARS);
}

/** What a heading says, in lower case, without the marks that may close it. */
function nameOf(heading: string): string {
  return heading
    .replace(/(?<![ \t#])[ \t#]+$/, "")
    .trim()
    .toLowerCase();
}
