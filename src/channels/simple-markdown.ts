import { type Mark, type StyledRun, sharedDepth } from "./styled-text.ts";

/** Writes runs in the Markdown that several platforms share: bold, links and code. @param escaped text outside code */
export function simpleMarkdown(runs: readonly StyledRun[], escaped: (text: string) => string): string {
  let written = "";
  let open: readonly Mark[] = [];
  for (const { text, marks } of runs) {
    const kept = sharedDepth(open, marks);
    written += open.slice(kept).map(closing).reverse().join("") + marks.slice(kept).map(opening).join("");
    written += marks.some(({ kind }) => kind === "code" || kind === "preformatted") ? text : escaped(text);
    open = marks;
  }
  return written + open.map(closing).reverse().join("");
}

function opening(mark: Mark): string {
  switch (mark.kind) {
    case "bold":
      return "**";
    case "strike":
      return "~~";
    case "code":
      return "`";
    case "preformatted":
      return `\`\`\`${mark.language ?? ""}\n`;
    case "link":
      return "[";
    case "italic":
    case "quote":
      return "";
  }
}

function closing(mark: Mark): string {
  switch (mark.kind) {
    case "preformatted":
      return "\n```";
    case "link":
      return `](${mark.href.replaceAll("(", "%28").replaceAll(")", "%29")})`;
    default:
      return opening(mark);
  }
}
