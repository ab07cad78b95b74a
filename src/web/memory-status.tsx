import type { MemoryStatus } from "../client/wire.ts";
import { texts } from "./language.ts";

/** The status of a memory index, with its warnings. */
export function MemoryStatusView({ status }: { status: MemoryStatus }) {
  const { files, chunks, pending, busy, comparedAt, warnings, embedder, failure } = status;
  return (
    <>
      <p>
        <strong>{number(files)}</strong> {texts.memoryFiles} · {number(chunks)} {texts.memoryPassages}
        {pending > 0 && ` · ${number(pending)} ${texts.memoryPending}`}
        {busy && ` · ${texts.memoryBusy}`}
      </p>
      <dl class="facts">
        <dt>{texts.embedder}</dt>
        <dd>
          {embedder.provider === null ? texts.wordsAlone : `${embedder.provider}/${embedder.model}`}: {embedder.why}
        </dd>
        <Vectors {...status} />
        <dt>{texts.compared}</dt>
        <dd>{comparedAt === null ? texts.never : date(comparedAt)}</dd>
      </dl>
      {failure !== null && (
        <p class="trouble">
          {date(failure.at)}: {failure.message}
        </p>
      )}
      {warnings.map(({ path, message }) => (
        <p key={path} class="trouble mild">
          {path}: {message}
        </p>
      ))}
    </>
  );
}

function Vectors({ chunks, vectors: { store, ready, building } }: MemoryStatus) {
  if (store === null) return null;
  return (
    <>
      <dt>{texts.vectors}</dt>
      <dd>
        {ready === null ? texts.noneYet : `${number(ready.vectors)} (${ready.space})`}, {STORES[store]}
        {building !== null && (
          <>
            {" · "}
            {texts.vectorsBuilding} {number(building.vectors)} / {number(chunks)} ({building.space})
          </>
        )}
      </dd>
    </>
  );
}

const STORES = { d1: "D1", vectorize: "Vectorize" };

function number(value: number): string {
  return value.toLocaleString(document.documentElement.lang);
}

function date(at: number): string {
  return new Date(at).toLocaleString(document.documentElement.lang);
}
