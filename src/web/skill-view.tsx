import { useEffect, useState } from "preact/hooks";
import type { Server } from "../client/http.ts";
import type { SkillLine } from "../client/wire.ts";
import { errorText, useAction } from "./hooks.ts";
import { texts } from "./language.ts";
import { MarkdownView } from "./markdown-view.tsx";
import { changeSkill, readSkill, splitFrontMatter, switchSkill, verifySkill } from "./skills-client.ts";

/** The properties of a skill's row. */
export interface SkillViewProps {
  server: Server;
  agentId: string;
  skill: SkillLine;
  /** Called with a message after a change. */
  onChanged(words: string): Promise<void>;
}

/** A skill in one line; opened, its details, its actions and its text. */
export function SkillView(props: SkillViewProps) {
  const { skill } = props;
  const { name, source, eligible, reason, tokens, emoji, description } = skill;
  const [open, setOpen] = useState(false);
  return (
    <details
      class={eligible ? "part skill" : "part skill off"}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <b>{emoji === undefined ? name : `${emoji} ${name}`}</b>
        <i>{eligible ? description : reason}</i>
        <em>{source}</em>
        <small>
          {eligible ? tokens.toLocaleString(document.documentElement.lang) : texts.skillOff}
          {eligible && <span class="unseen"> {texts.tokens}</span>}
        </small>
      </summary>
      {open && <SkillDetails {...props} />}
    </details>
  );
}

function SkillDetails({ server, agentId, skill, onChanged }: SkillViewProps) {
  const { location, reason, cut, description, version, command, commandTool, license, homepage } = skill;
  const { env = [], installers = [], warnings = [] } = skill;
  const [seen, setSeen] = useState<string>();
  return (
    <>
      {reason !== undefined && <p class="trouble">{reason}</p>}
      {[...(cut === undefined ? [] : [cut]), ...warnings].map((note) => (
        <p key={note} class="trouble mild">
          {note}
        </p>
      ))}
      {description !== undefined && <p>{description}</p>}
      <p class="of">
        <span>{location}</span>
        {version !== undefined && <span>{version}</span>}
        {command !== undefined && (
          <span>
            /{command}
            {commandTool !== undefined && ` → ${commandTool}`}
          </span>
        )}
        {license !== undefined && <span>{license}</span>}
        {env.map((variable) => (
          <span key={variable.name}>
            {variable.name}: {variable.set ? texts.isSet : texts.isNotSet}
          </span>
        ))}
        {homepage !== undefined && /^https?:/.test(homepage) && (
          <a href={homepage} target="_blank" rel="noopener noreferrer">
            {homepage}
          </a>
        )}
      </p>
      {installers.map(({ kind, what, reason }) => (
        <p key={`${kind} ${what}`} class="hint">
          {kind} {what}: {reason}
        </p>
      ))}
      <SkillActions server={server} agentId={agentId} skill={skill} seen={seen} onChanged={onChanged} />
      <SkillText server={server} agentId={agentId} skill={skill} onSeen={setSeen} />
    </>
  );
}

/** The actions on a skill. Only the server knows whether it was installed, so a refusal is shown. */
function SkillActions({ server, agentId, skill, seen, onChanged }: SkillViewProps & { seen: string | undefined }) {
  const { name, source, code, key } = skill;
  const [removing, setRemoving] = useState(false);
  const { busy, trouble, run } = useAction();
  const at = { server, agentId, global: source === "managed" };
  const act = (words: string, work: () => Promise<unknown>) => () =>
    run(async () => {
      await work();
      await onChanged(`${name}: ${words}`);
    });
  async function verify() {
    const differing = await verifySkill(at, name);
    await onChanged(`${name}: ${differing.length === 0 ? texts.verified : `${texts.differs} ${differing.join(", ")}`}`);
  }
  const isOff = code === "disabled";
  const isInstallable = source === "workspace" || source === "managed";
  return (
    <div class="row acts">
      {key !== undefined && (
        <button
          type="button"
          class="choice"
          disabled={busy}
          onClick={act(isOff ? texts.switchedOn : texts.switchedOff, () => switchSkill(server, key, isOff))}
        >
          {isOff ? texts.switchOn : texts.switchOff}
        </button>
      )}
      {isInstallable && (
        <>
          <button type="button" class="choice" disabled={busy} onClick={() => run(verify)}>
            {texts.verify}
          </button>
          <button
            type="button"
            class="choice"
            disabled={busy}
            onClick={act(texts.updated, () => changeSkill(at, { verb: "update", name, force: false }))}
          >
            {texts.update}
          </button>
          {code === "quarantined" && (
            <button
              type="button"
              class="choice"
              disabled={busy}
              onClick={act(texts.accepted, () => changeSkill(at, { verb: "accept", name, seen }))}
            >
              {texts.accept}
            </button>
          )}
          <button
            type="button"
            class="choice"
            disabled={busy}
            onClick={
              removing ? act(texts.removed, () => changeSkill(at, { verb: "remove", name })) : () => setRemoving(true)
            }
            onBlur={() => setRemoving(false)}
          >
            {removing ? texts.reallyRemove : texts.remove}
          </button>
        </>
      )}
      {trouble !== undefined && (
        <p class="trouble" role="alert">
          {trouble}
        </p>
      )}
    </div>
  );
}

interface SkillTextProps extends Omit<SkillViewProps, "onChanged"> {
  /** Called with the digest of the files that are shown. */
  onSeen(seen: string | undefined): void;
}

/** A skill's SKILL.md: the front matter as text, the body as Markdown. */
function SkillText({ server, agentId, skill, onSeen }: SkillTextProps) {
  const { name, location, version } = skill;
  const [text, setText] = useState<string>();
  const [trouble, setTrouble] = useState<string>();
  useEffect(() => {
    const asking = new AbortController();
    readSkill({ server, agentId, global: false }, { name, location }, asking.signal).then(
      (skill) => {
        setText(skill.text);
        onSeen(skill.seen);
      },
      (error: unknown) => {
        if (!asking.signal.aborted) setTrouble(errorText(error));
      },
    );
    return () => asking.abort();
  }, [server, agentId, name, location, version, onSeen]);
  if (trouble !== undefined) return <p class="hint">{trouble}</p>;
  if (text === undefined) {
    return (
      <p class="hint" aria-busy="true">
        {texts.loading}
      </p>
    );
  }
  if (text === "") return null;
  const { front, body } = splitFrontMatter(text);
  return (
    <div class="skill-text">
      {front !== "" && <pre>{front}</pre>}
      <MarkdownView text={body} />
    </div>
  );
}
