import { useEffect, useRef } from "preact/hooks";
import type { Server } from "../client/http.ts";
import { EntryList } from "./entry-list.tsx";
import { texts } from "./language.ts";
import {
  acceptWords,
  type ForeignFile,
  foreignFiles,
  type Grant,
  grantsOf,
  revokeGrant,
} from "./permissions-client.ts";

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
    <dialog class="inspector entries" ref={dialog} onClose={onClose} aria-labelledby="permissions-title">
      <header>
        <h2 id="permissions-title">{texts.permissions}</h2>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          {texts.close}
        </button>
      </header>
      <EntryList
        title={texts.alwaysAllowed}
        about={texts.alwaysAllowedHow}
        nothing={texts.nothingAllowed}
        load={() => grantsOf(server, sessionKey)}
        keyOf={({ id }) => id}
        acts={[{ words: texts.revoke, run: ({ id }) => revokeGrant(server, sessionKey, id) }]}
        show={(grant) => <GrantText grant={grant} />}
      />
      <EntryList
        title={texts.foreignFiles}
        about={texts.foreignFilesHow}
        nothing={texts.noForeignFiles}
        load={() => foreignFiles(server, agentId)}
        keyOf={({ path }) => path}
        acts={[{ words: texts.acceptWords, run: (file) => acceptWords(server, agentId, file) }]}
        show={(file) => <FileText file={file} />}
      />
    </dialog>
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
