import { useEffect, useRef, useState } from "preact/hooks";
import type { Server } from "../client/http.ts";
import type { SkillReport } from "../client/wire.ts";
import { errorText } from "./hooks.ts";
import { texts } from "./language.ts";
import { SkillInstall } from "./skill-install.tsx";
import { SkillView } from "./skill-view.tsx";
import { listSkills, skillsMatching } from "./skills-client.ts";

/** The properties of the skills dialog. */
export interface SkillsDialogProps {
  server: Server;
  agentId: string;
  onClose(): void;
}

/** A dialog with an agent's skills, eligible or not, and the install form. */
export function SkillsDialog({ server, agentId, onClose }: SkillsDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { report, trouble, refresh } = useReport(server, agentId);
  const [search, setSearch] = useState("");
  const [said, setSaid] = useState("");
  useEffect(() => dialog.current?.showModal(), []);

  async function changed(words: string) {
    await refresh();
    setSaid(words);
  }
  const skills = report === undefined ? [] : skillsMatching(report.skills, search);
  return (
    <dialog class="inspector skills" ref={dialog} onClose={onClose} aria-labelledby="skills-title">
      <header>
        <h2 id="skills-title">{texts.skills}</h2>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          {texts.close}
        </button>
      </header>
      {trouble !== undefined && (
        <p class="trouble" role="alert">
          {trouble}
        </p>
      )}
      {report === undefined && trouble === undefined && (
        <p class="hint" aria-busy="true">
          {texts.loading}
        </p>
      )}
      {report !== undefined && (
        <>
          <Totals report={report} />
          {report.warnings.map((warning) => (
            <p key={warning} class="trouble">
              {warning}
            </p>
          ))}
          <SkillInstall server={server} agentId={agentId} onInstalled={changed} />
          <input
            type="search"
            class="search"
            placeholder={texts.searchSkills}
            aria-label={texts.searchSkills}
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          <p class="hint" role="status">
            {said}
          </p>
          <section>
            {skills.map((skill) => (
              <SkillView key={skill.location} server={server} agentId={agentId} skill={skill} onChanged={changed} />
            ))}
            {skills.length === 0 && <p class="hint">{texts.noSkills}</p>}
          </section>
        </>
      )}
    </dialog>
  );
}

function Totals({ report: { totals } }: { report: SkillReport }) {
  return (
    <p>
      <strong>{totals.eligible}</strong> / {totals.found} {texts.skillsUsable} ·{" "}
      {totals.tokens.toLocaleString(document.documentElement.lang)} {texts.skillsTokens}
    </p>
  );
}

function useReport(server: Server, agentId: string) {
  const [report, setReport] = useState<SkillReport>();
  const [trouble, setTrouble] = useState<string>();
  async function refresh(signal?: AbortSignal) {
    try {
      setReport(await listSkills({ server, agentId, global: false }, signal));
      setTrouble(undefined);
    } catch (error) {
      if (!signal?.aborted) setTrouble(errorText(error));
    }
  }
  useEffect(() => {
    const asking = new AbortController();
    void refresh(asking.signal);
    return () => asking.abort();
  }, [server, agentId]);
  return { report, trouble, refresh };
}
