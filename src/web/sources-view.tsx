import { texts } from "./language.ts";
import type { Source } from "./sources.ts";

/** The pages under an answer: title and host of each, as plain text. */
export function SourcesView({ sources }: { sources: readonly Source[] }) {
  return (
    <section class="sources" aria-label={texts.sources}>
      <h3>{texts.sources}</h3>
      <ol>
        {sources.map(({ url, title, host }) => (
          <li key={url}>
            <a href={url} target="_blank" rel="noopener noreferrer">
              <bdi>{title}</bdi>
            </a>{" "}
            <span class="host">{host}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
