import type { Content } from "../../http/webchat-schema.ts";

const TAGS = { b: "b", i: "i", s: "s", code: "code", pre: "pre", quote: "blockquote", item: "span", a: "a" } as const;
const BLOCKS: ReadonlySet<string> = new Set(["pre", "quote"]);

/** Appends content to an element. Nothing of it is markup: words become text, and links go to the web and mail alone. */
export function appendContent(to: HTMLElement, content: readonly Content[]): void {
  let isAfterBlock = false;
  for (const one of content) {
    if (typeof one === "string") {
      // A block ends its line itself.
      to.append(isAfterBlock ? one.replace(/^\n/, "") : one);
      isAfterBlock = false;
      continue;
    }
    const child = document.createElement(TAGS[one.is] ?? "span");
    if (one.is === "item") child.className = "item";
    if (child instanceof HTMLAnchorElement && /^(?:https?:\/\/|mailto:)/i.test(one.href ?? "")) {
      child.href = one.href ?? "";
      child.target = "_blank";
      child.rel = "noopener noreferrer nofollow";
    }
    // Keys scroll what is wider than the box.
    if (one.is === "pre") child.tabIndex = 0;
    appendContent(child, one.of);
    to.append(child);
    isAfterBlock = BLOCKS.has(one.is);
  }
}
