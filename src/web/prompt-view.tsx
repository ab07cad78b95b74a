import type { Prompt, PromptSection } from "../client/wire.ts";
import { texts } from "./language.ts";
import { promptShares } from "./prompt-share.ts";

const FROM: Record<Exclude<PromptSection["source"]["kind"], "section">, string> = {
  provider: texts.fromProvider,
  configuration: texts.fromConfiguration,
  workspace: texts.fromWorkspace,
  skills: texts.fromSkills,
  run: texts.fromRun,
  plugin: texts.fromPlugin,
};

/** A prompt: its parts as a bar, then its sections, files and tools, each of which opens. */
export function PromptView({ prompt }: { prompt: Prompt }) {
  const { sessionKey, mode, model, hash, sections, tools, totals } = prompt;
  const above = sections.filter(({ layer }) => layer === "above");
  const below = sections.filter(({ layer }) => layer === "below");
  return (
    <>
      <p class="of">
        <span>{model}</span>
        <span>{sessionKey}</span>
        <span>{mode}</span>
        <span title={hash}>sha256 {hash.slice(0, 12)}</span>
      </p>
      <Shares prompt={prompt} />
      <section>
        <h3>
          {texts.systemPrompt} <Tokens tokens={totals.prompt.tokens} />
        </h3>
        {above.map((section) => (
          <SectionView key={section.name} section={section} all={totals.prompt.tokens} />
        ))}
        {below.length > 0 && <p class="boundary">{texts.boundary}</p>}
        {below.map((section) => (
          <SectionView key={section.name} section={section} all={totals.prompt.tokens} />
        ))}
      </section>
      <Files prompt={prompt} />
      {tools.length > 0 && (
        <section>
          <h3>
            {texts.tools} <Tokens tokens={totals.tools.tokens} />
          </h3>
          {tools.map(({ name, tokens, schemaBytes, description, parameters }) => (
            <details key={name} class="part">
              <summary>
                <b>{name}</b>
                <i>
                  {number(schemaBytes)} {texts.schemaBytes}
                </i>
                <Meter tokens={tokens} all={totals.tools.tokens} />
              </summary>
              <p class="words">{description}</p>
              <pre>{JSON.stringify(parameters, null, 2)}</pre>
            </details>
          ))}
        </section>
      )}
    </>
  );
}

/** The tokens of each part, as a bar and as a list. */
function Shares({ prompt }: { prompt: Prompt }) {
  const shares = promptShares(prompt);
  const all = shares.reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <section class="shares">
      <p>
        <strong>{number(all)}</strong> {texts.tokens}
        {prompt.window !== undefined && ` ${texts.ofWindow} ${number(prompt.window)}`}
      </p>
      <div class="bar" aria-hidden="true">
        {shares.map(({ part, tokens }) => (
          <span key={part} data-part={part} style={{ flexGrow: tokens }} />
        ))}
      </div>
      <dl>
        {shares.map(({ part, tokens }) => (
          <div key={part} data-part={part}>
            <dt>{texts[part]}</dt>
            <dd>{number(tokens)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** A section in one line, with its source where that is not Isopod itself; opened, its text. */
function SectionView({ section, all }: { section: PromptSection; all: number }) {
  const { name, source, tokens, bytes, text } = section;
  return (
    <details class="part">
      <summary>
        <b>{name}</b>
        <i>{source.kind === "section" ? "" : `${FROM[source.kind]} ${source.name}`}</i>
        <Meter tokens={tokens} all={all} />
      </summary>
      <p class="of">
        <span>{source.name}</span>
        <span>
          {number(bytes)} {texts.bytes}
        </span>
      </p>
      <pre>{text}</pre>
    </details>
  );
}

function Files({ prompt: { files, seeded } }: { prompt: Prompt }) {
  if (files.length === 0) return null;
  return (
    <section>
      <h3>{texts.files}</h3>
      {seeded === false && <p class="hint">{texts.newWorkspace}</p>}
      <ul class="files">
        {files.map(({ path, rawChars, injectedChars, truncated, missing }) => (
          <li key={path} class={truncated || missing ? "flagged" : undefined}>
            <b>{path}</b>
            <i>
              {missing
                ? texts.missing
                : `${truncated ? `${number(injectedChars)} / ` : ""}${number(rawChars)} ${texts.characters}`}
            </i>
            {truncated && <em>{texts.cut}</em>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Meter({ tokens, all }: { tokens: number; all: number }) {
  return (
    <>
      <span class="meter" aria-hidden="true">
        <span style={{ width: `${(100 * tokens) / Math.max(all, 1)}%` }} />
      </span>
      <Tokens tokens={tokens} />
    </>
  );
}

function Tokens({ tokens }: { tokens: number }) {
  return (
    <small>
      {number(tokens)}
      <span class="unseen"> {texts.tokens}</span>
    </small>
  );
}

function number(value: number): string {
  return value.toLocaleString(document.documentElement.lang);
}
