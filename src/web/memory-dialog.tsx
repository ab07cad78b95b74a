import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Server } from "../client/http.ts";
import type { MemoryResults, MemoryStatus } from "../client/wire.ts";
import { errorText, useAction } from "./hooks.ts";
import { texts } from "./language.ts";
import { indexMemory, type MemoryServer, memoryStatus, searchMemory } from "./memory-client.ts";
import { MemoryHit } from "./memory-hit.tsx";
import { MemoryStatusView } from "./memory-status.tsx";
import { similarityName } from "./memory-words.ts";

/** How often the page asks whether an index is complete. */
const LOOK_EVERY_MS = 2_000;

/** The properties of the memory dialog. */
export interface MemoryDialogProps {
  server: Server;
  agentId: string;
  onClose(): void;
}

/** A dialog with the status of an agent's memory index, and a search of it. */
export function MemoryDialog({ server, agentId, onClose }: MemoryDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const at = useMemo(() => ({ server, agentId }), [server, agentId]);
  const { status, trouble, look } = useStatus(at);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="inspector memory" ref={dialog} onClose={onClose} aria-labelledby="memory-title">
      <header>
        <h2 id="memory-title">{texts.memory}</h2>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          {texts.close}
        </button>
      </header>
      <Trouble words={trouble} />
      {status === undefined && trouble === undefined && (
        <p class="hint" aria-busy="true">
          {texts.loading}
        </p>
      )}
      {status?.enabled === false && <p class="hint">{texts.memoryOff}</p>}
      {status?.enabled === true && (
        <>
          <MemoryStatusView status={status} />
          <IndexAgain at={at} onDone={look} />
          <Search at={at} />
        </>
      )}
    </dialog>
  );
}

/** A button that indexes all files again. */
function IndexAgain({ at, onDone }: { at: MemoryServer; onDone(status: MemoryStatus): void }) {
  const { busy, trouble, run } = useAction();
  const [said, setSaid] = useState("");
  async function index() {
    const status = await indexMemory(at);
    setSaid(status.complete ? texts.indexed : texts.indexGoesOn);
    onDone(status);
  }
  return (
    <div class="row">
      <button type="button" class="choice" disabled={busy} onClick={() => run(index)}>
        {texts.indexAgain}
      </button>
      <p class="hint" role="status" aria-busy={busy}>
        {busy ? texts.working : said}
      </p>
      <Trouble words={trouble} />
    </div>
  );
}

function Search({ at }: { at: MemoryServer }) {
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<MemoryResults>();
  const { busy, trouble, run } = useAction();
  function onSubmit(event: SubmitEvent) {
    event.preventDefault();
    if (query.trim() !== "") void run(async () => setFound(await searchMemory(at, query)));
  }
  return (
    <search>
      <form class="row" onSubmit={onSubmit}>
        <input
          type="search"
          class="search"
          placeholder={texts.searchMemory}
          aria-label={texts.searchMemory}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <button type="submit" class="choice" disabled={busy || query.trim() === ""}>
          {texts.search}
        </button>
      </form>
      <Trouble words={trouble} />
      <p class="hint" role="status" aria-busy={busy}>
        {found !== undefined && summary(found)}
      </p>
      {found?.degraded !== undefined && <p class="trouble">{found.degraded.message}</p>}
      {found?.results.map((hit) => (
        <MemoryHit key={`${found.query} ${hit.citation}`} at={at} hit={hit} similarity={similarityName(found, texts)} />
      ))}
    </search>
  );
}

function summary(found: MemoryResults): string {
  const { results, index, mode, tookMs } = found;
  const what = results.length === 0 ? texts.nothingFound : `${results.length} ${texts.passagesFound}`;
  const how = mode === "hybrid" ? `${texts.byWords} + ${similarityName(found, texts)}` : texts.wordsAlone;
  return `${what} · ${index.files} ${texts.memoryFiles} · ${how} · ${tookMs} ms`;
}

function Trouble({ words }: { words: string | undefined }) {
  if (words === undefined) return null;
  return (
    <p class="trouble" role="alert">
      {words}
    </p>
  );
}

/** The status of the index, polled until it is complete. */
function useStatus(at: MemoryServer) {
  const [status, setStatus] = useState<MemoryStatus>();
  const [trouble, setTrouble] = useState<string>();
  const isDone = status?.complete ?? false;
  useEffect(() => {
    if (isDone) return;
    const asking = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    async function look() {
      try {
        setStatus(await memoryStatus(at, asking.signal));
        setTrouble(undefined);
        timer = setTimeout(look, LOOK_EVERY_MS);
      } catch (error) {
        if (!asking.signal.aborted) setTrouble(errorText(error));
      }
    }
    void look();
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [at, isDone]);
  return { status, trouble, look: setStatus };
}
