import { useRef, useState } from "preact/hooks";
import type { Server } from "../client/http.ts";
import type { SkillOrigin } from "../client/skill-request.ts";
import { useAction } from "./hooks.ts";
import { texts } from "./language.ts";
import { archiveOrigin, changeSkill, typedOrigin } from "./skills-client.ts";

/** The properties of the install form. */
export interface SkillInstallProps {
  server: Server;
  agentId: string;
  /** Called with a message after an install. */
  onInstalled(words: string): Promise<void>;
}

/** Installs a skill from a chosen or dropped file, a URL, or a name at the registry. */
export function SkillInstall({ server, agentId, onInstalled }: SkillInstallProps) {
  const [from, setFrom] = useState("");
  const [isGlobal, setGlobal] = useState(false);
  const [isReplacing, setReplacing] = useState(false);
  const [isOver, setOver] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const { busy, trouble, run } = useAction();

  async function install(origin: SkillOrigin) {
    const at = { server, agentId, global: isGlobal };
    await onInstalled(`${texts.installed} ${await changeSkill(at, { verb: "install", origin, replace: isReplacing })}`);
  }
  function take(archive: File | undefined) {
    if (archive === undefined) return;
    void run(async () => install(await archiveOrigin(archive)));
  }
  function onSubmit(event: SubmitEvent) {
    event.preventDefault();
    void run(async () => {
      await install(typedOrigin(from.trim()));
      setFrom("");
    });
  }
  return (
    <details class="part install">
      <summary>
        <b>{texts.install}</b>
      </summary>
      <form
        class={isOver ? "over" : undefined}
        onSubmit={onSubmit}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files[0]);
        }}
      >
        <p class="hint">{texts.installHow}</p>
        <div class="row">
          <input
            aria-label={texts.installFrom}
            placeholder={texts.installFrom}
            value={from}
            onInput={(event) => setFrom(event.currentTarget.value)}
          />
          <button type="submit" class="choice" disabled={busy || from.trim() === ""}>
            {texts.install}
          </button>
          <button type="button" class="choice" disabled={busy} onClick={() => file.current?.click()}>
            {texts.chooseFile}
          </button>
        </div>
        <input
          type="file"
          class="unseen"
          tabIndex={-1}
          aria-label={texts.chooseFile}
          ref={file}
          accept=".zip,.tar.gz,.tgz,application/zip,application/gzip"
          onChange={(event) => {
            take(event.currentTarget.files?.[0]);
            event.currentTarget.value = "";
          }}
        />
        <label>
          <input type="checkbox" checked={isGlobal} onChange={() => setGlobal(!isGlobal)} /> {texts.forAllAgents}
        </label>
        <label>
          <input type="checkbox" checked={isReplacing} onChange={() => setReplacing(!isReplacing)} />{" "}
          {texts.replaceThere}
        </label>
        <p class="hint">{texts.readFirst}</p>
        {trouble !== undefined && (
          <p class="trouble" role="alert">
            {trouble}
          </p>
        )}
      </form>
    </details>
  );
}
