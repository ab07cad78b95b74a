import { useEffect, useState } from "preact/hooks";
import type { MemoryPassage, MemoryResults } from "../client/wire.ts";
import { errorText } from "./hooks.ts";
import { texts } from "./language.ts";
import { linesAround, type MemoryServer } from "./memory-client.ts";
import { marked, whyFound } from "./memory-words.ts";

/** The properties of a search result. */
export interface MemoryHitProps {
  at: MemoryServer;
  hit: MemoryResults["results"][number];
  /** The name of the vectors' similarity. */
  similarity: string;
}

/** A passage with its score, why it was found, and its file; opened, the lines around it. */
export function MemoryHit({ at, hit, similarity }: MemoryHitProps) {
  const { citation, score, snippet, reason } = hit;
  const [open, setOpen] = useState(false);
  return (
    <article class="hit">
      <h3>
        <span>{citation}</span>
        <span class="meter" aria-hidden="true">
          <span style={{ width: `${100 * score}%` }} />
        </span>
        <small>
          <span class="unseen">{texts.score} </span>
          {score.toFixed(2)}
        </small>
      </h3>
      <p class="hint">{whyFound(reason, similarity, texts).join(" · ")}</p>
      <p class="passage">
        {marked(snippet, reason.keyword?.terms ?? []).map(({ text, isAsked }) =>
          isAsked ? <mark>{text}</mark> : text,
        )}
      </p>
      <details class="around" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{texts.linesAround}</summary>
        {open && <SurroundingLines at={at} hit={hit} />}
      </details>
    </article>
  );
}

function SurroundingLines({ at, hit }: Omit<MemoryHitProps, "similarity">) {
  const [passage, setPassage] = useState<MemoryPassage>();
  const [trouble, setTrouble] = useState<string>();
  useEffect(() => {
    const asking = new AbortController();
    linesAround(at, hit, asking.signal).then(setPassage, (error: unknown) => {
      if (!asking.signal.aborted) setTrouble(errorText(error));
    });
    return () => asking.abort();
  }, [at, hit]);
  if (trouble !== undefined) {
    return (
      <p class="trouble" role="alert">
        {trouble}
      </p>
    );
  }
  if (passage === undefined) {
    return (
      <p class="hint" aria-busy="true">
        {texts.loading}
      </p>
    );
  }
  const { text, startLine, totalLines } = passage;
  return (
    <>
      <ol start={startLine}>
        {text.split("\n").map((line, n) => {
          const number = startLine + n;
          const isFound = number >= hit.startLine && number <= hit.endLine;
          return (
            <li key={number} class={isFound ? "found" : undefined}>
              {line}
            </li>
          );
        })}
      </ol>
      <p class="hint">
        {texts.linesOf} {totalLines}
      </p>
    </>
  );
}
