import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { texts } from "./language.ts";
import { markdownPieces, toNodes } from "./markdown.ts";

const COPIED_MS = 1600;

/** Rendered Markdown. */
export function MarkdownView({ text }: { text: string }) {
  const pieces = useMemo(() => markdownPieces(text), [text]);
  return (
    <div class="prose">
      {pieces.map((piece, index) =>
        piece.type === "code" ? (
          <CodeBlock key={index} text={piece.text} lang={piece.lang} />
        ) : (
          <Rich key={index} html={piece.html} />
        ),
      )}
    </div>
  );
}

/** Sets its nodes without Preact, so that they, and a selection in them, stay until the HTML changes. */
function Rich({ html }: { html: string }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.replaceChildren(toNodes(html)), [html]);
  return <div class="rich" ref={element} />;
}

function CodeBlock({ text, lang }: { text: string; lang: string }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  }
  return (
    <figure class="code">
      <figcaption>
        <span>{lang}</span>
        <button type="button" class="quiet" onClick={copy}>
          {copied ? texts.copied : texts.copy}
        </button>
      </figcaption>
      <pre>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
