import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Server } from "../client/http.ts";
import { errorText, useAction } from "./hooks.ts";
import { texts } from "./language.ts";
import {
  acceptWords,
  type ForeignFile,
  foreignFiles,
  type Grant,
  grantsOf,
  revokeGrant,
} from "./permissions-client.ts";

/** Most files that are listed. */
const MAX_FILES = 100;

/** The properties of the permissions dialog. */
export interface PermissionsDialogProps {
  server: Server;
  agentId: string;
  sessionKey: string;
  onClose(): void;
}

/** A dialog with what is allowed for good in the session, and the files whose words are not the owner's. */
export function PermissionsDialog({ server, agentId, sessionKey, onClose }: PermissionsDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="inspector permissions" ref={dialog} onClose={onClose} aria-labelledby="permissions-title">
      <header>
        <h2 id="permissions-title">{texts.permissions}</h2>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          {texts.close}
        </button>
      </header>
      <List
        title={texts.alwaysAllowed}
        about={texts.alwaysAllowedHow}
        nothing={texts.nothingAllowed}
        load={() => grantsOf(server, sessionKey)}
        keyOf={({ id }) => id}
        act={texts.revoke}
        onAct={({ id }) => revokeGrant(server, sessionKey, id)}
        show={(grant) => <GrantText grant={grant} />}
      />
      <List
        title={texts.foreignFiles}
        about={texts.foreignFilesHow}
        nothing={texts.noForeignFiles}
        load={() => foreignFiles(server, agentId)}
        keyOf={({ path }) => path}
        act={texts.acceptWords}
        onAct={(file) => acceptWords(server, agentId, file)}
        show={(file) => <FileText file={file} />}
      />
    </dialog>
  );
}

interface ListProps<Entry> {
  title: string;
  about: string;
  nothing: string;
  load(): Promise<readonly Entry[]>;
  keyOf(entry: Entry): string;
  /** The words of each entry's button. */
  act: string;
  onAct(entry: Entry): Promise<void>;
  show(entry: Entry): ComponentChildren;
}

/** Entries, each with a button that takes it off the list. */
function List<Entry>({ title, about, nothing, load, keyOf, act, onAct, show }: ListProps<Entry>) {
  const [entries, setEntries] = useState<readonly Entry[]>();
  const [lost, setLost] = useState<string>();
  const { busy, trouble, run } = useAction();
  useEffect(() => {
    load().then(setEntries, (error: unknown) => setLost(errorText(error)));
  }, []);
  const words = trouble ?? lost;
  return (
    <section>
      <h3>{title}</h3>
      <p class="hint" aria-busy={entries === undefined && lost === undefined}>
        {entries === undefined ? texts.loading : entries.length === 0 ? nothing : about}
      </p>
      {words !== undefined && (
        <p class="trouble" role="alert">
          {words}
        </p>
      )}
      <ul>
        {entries?.slice(0, MAX_FILES).map((entry) => (
          <li key={keyOf(entry)}>
            {show(entry)}
            <button
              type="button"
              class="choice"
              disabled={busy}
              aria-label={`${act} ${keyOf(entry)}`}
              onClick={() =>
                run(async () => {
                  await onAct(entry);
                  setEntries(entries.filter((other) => other !== entry));
                })
              }
            >
              {act}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function GrantText({ grant: { tool, programs, hosts, conversations, grantedAt } }: { grant: Grant }) {
  const scope = [...(programs ?? []), ...(hosts ?? []), ...(conversations ?? [])].join(", ");
  const day = new Date(grantedAt).toLocaleDateString(document.documentElement.lang);
  return (
    <p>
      <b>{tool}</b> {scope} <small>{day}</small>
    </p>
  );
}

function FileText({ file: { path, labels = [], labelledLines } }: { file: ForeignFile }) {
  const lines = labelledLines === undefined ? "" : ` · ${labelledLines} ${texts.foreignLines}`;
  return (
    <p>
      <b>{path}</b>{" "}
      <small>
        {labels.join(", ")}
        {lines}
      </small>
    </p>
  );
}
