import { messageOf } from "../../lib/errors.ts";
import type { BuildingFile, Change, LiveFile, MemoryIndex } from "../store/memory-index.ts";
import type { IndexState } from "../store/read-index.ts";
import type { Document, DocumentStore } from "./document-store.ts";
import type { Waiting } from "./index-documents.ts";

/** What all stores have. */
export interface Listing {
  documents: { document: Document; store: DocumentStore }[];
  /** Those that gave no answer, and of whose documents nothing is known. */
  silent: ReadonlySet<DocumentStore>;
  failure: string | undefined;
}

/** Lists all stores; one that does not answer is silent. */
export async function listAll(stores: readonly DocumentStore[]): Promise<Listing> {
  const answers = await Promise.allSettled(stores.map((store) => store.list()));
  const documents: Listing["documents"] = [];
  const silent = new Set<DocumentStore>();
  let failure: string | undefined;
  for (const [at, store] of stores.entries()) {
    const answer = answers[at];
    if (answer?.status === "fulfilled") for (const document of answer.value) documents.push({ document, store });
    else {
      silent.add(store);
      failure ??= messageOf(answer?.reason);
    }
  }
  return { documents, silent, failure };
}

/** What is to be done so that an index is as its stores are. */
export interface Comparison {
  /** What was said to have changed comes first, then what is newest. */
  waiting: Waiting[];
  removed: { file: LiveFile; token: string | undefined }[];
  /** Changes that are no news. */
  settled: Change[];
  /** Versions that nobody goes on with. */
  abandoned: BuildingFile[];
}

/** Compares an index, as it was seen before its stores were listed, with the listing. */
export function compare(
  { generation }: MemoryIndex,
  { live, building, changes }: IndexState,
  { documents, silent }: Listing,
): Comparison {
  const [liveAt, buildingAt, changeAt] = [byPath(live), byPath(building), byPath(changes)];
  const waiting: Waiting[] = [];
  const goesOn = new Set<BuildingFile>();
  for (const { document, store } of documents.toSorted(noted(changeAt))) {
    const { path, size, etag } = document;
    const file = liveAt.get(path);
    if (file?.etag === etag && file.generation === generation) continue;
    const version = buildingAt.get(path);
    const begun = version?.etag === etag && version.generation === generation ? version : undefined;
    if (begun !== undefined) goesOn.add(begun);
    waiting.push({ path, size, store, live: file, building: begun, token: changeAt.get(path)?.token });
  }
  const isUnknown = (path: string) => [...silent].some((store) => store.covers(path));
  const silentSources = new Set([...silent].map(({ source }) => source));
  const listed = new Set(documents.map(({ document: { path } }) => path));
  const removed = live.filter(({ path, source }) => !listed.has(path) && !silentSources.has(source));
  const unsettled = new Set([...waiting, ...removed].map(({ path }) => path));
  return {
    waiting,
    removed: removed.map((file) => ({ file, token: changeAt.get(file.path)?.token })),
    settled: changes.filter(({ path }) => !unsettled.has(path) && !isUnknown(path)),
    abandoned: building.filter((version) => !goesOn.has(version) && !isUnknown(version.path)),
  };
}

/** What was said to have changed first, then what is newest. */
function noted(changeAt: ReadonlyMap<string, Change>) {
  type Listed = Listing["documents"][number];
  return ({ document: a }: Listed, { document: b }: Listed): number =>
    Number(changeAt.has(b.path)) - Number(changeAt.has(a.path)) || b.modifiedAt - a.modifiedAt;
}

function byPath<Row extends { path: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.path, row]));
}
