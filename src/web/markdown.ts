import DOMPurify from "dompurify";
import { Marked, type Tokens, type TokensList } from "marked";

/** A top-level block of Markdown, rendered by itself: while a reply grows, only its last block changes. */
export type Piece = { type: "code"; text: string; lang: string } | { type: "rich"; text: string; html: string };

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // HTML in a model's reply is shown as text.
    html: ({ text }) => escapeHtml(text),
    // Loading a remote image would reveal to its host that the reply was read.
    image: ({ href, text }) => `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`,
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

/** Splits Markdown into its top-level blocks. */
export function markdownPieces(markdown: string): Piece[] {
  const tokens = marked.lexer(markdown);
  return tokens.flatMap((token): Piece[] => {
    if (token.type === "space" || token.type === "def") return [];
    if (isCode(token)) return [{ type: "code", text: token.text, lang: token.lang?.split(/\s/)[0] ?? "" }];
    const one: TokensList = Object.assign([token], { links: tokens.links });
    return [{ type: "rich", text: token.raw, html: marked.parser(one) }];
  });
}

/** Turns rendered Markdown into nodes without scripts, remote resources or styles. */
export function toNodes(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    USE_PROFILES: { html: true },
    FORBID_TAGS: ["style", "form", "input", "button", "img", "video", "audio", "picture", "source"],
    FORBID_ATTR: ["style", "class", "id", "name"],
  });
  for (const link of fragment.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  return fragment;
}

function isCode(token: { type: string }): token is Tokens.Code {
  return token.type === "code";
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
