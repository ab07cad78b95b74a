import { messageOf } from "../../lib/errors.ts";
import type { Document, DocumentStore } from "../document-store.ts";
import type { BuildingFile, FileNote, LiveFile, MemoryIndex } from "../store/memory-index.ts";
import type { IndexContents } from "../store/read-index.ts";
import type { PendingDocument } from "./index-documents.ts";

/** The documents of all stores. */
export interface Listing {
  documents: { document: Document; store: DocumentStore }[];
  /** Stores that did not answer. */
  failed: ReadonlySet<DocumentStore>;
  failure: string | undefined;
}

/** Lists all stores. */
export async function listAll(stores: readonly DocumentStore[]): Promise<Listing> {
  const answers = await Promise.allSettled(stores.map((store) => store.list()));
  const documents: Listing["documents"] = [];
  const failed = new Set<DocumentStore>();
  let failure: string | undefined;
  for (const [at, store] of stores.entries()) {
    const answer = answers[at];
    if (answer?.status === "fulfilled") for (const document of answer.value) documents.push({ document, store });
    else {
      failed.add(store);
      failure ??= messageOf(answer?.reason);
    }
  }
  return { documents, failed, failure };
}

/** What has to change in an index. */
export interface Comparison {
  /** Noted changes first, then the newest. */
  pending: PendingDocument[];
  removed: { file: LiveFile; token: string | undefined }[];
  /** Noted changes that are already indexed. */
  settled: FileNote[];
  /** Versions that will not be completed. */
  abandoned: BuildingFile[];
}

/** Compares an index, read before its stores were listed, with the listing. */
export function compare(
  { generation }: MemoryIndex,
  { live, building, changes }: IndexContents,
  { documents, failed }: Listing,
): Comparison {
  const [liveAt, buildingAt, changeAt] = [indexByPath(live), indexByPath(building), indexByPath(changes)];
  const pending: PendingDocument[] = [];
  const continued = new Set<BuildingFile>();
  for (const { document, store } of documents.toSorted(notedFirst(changeAt))) {
    const { path, size, etag } = document;
    const file = liveAt.get(path);
    if (file?.etag === etag && file.generation === generation) continue;
    const version = buildingAt.get(path);
    const begun = version?.etag === etag && version.generation === generation ? version : undefined;
    if (begun !== undefined) continued.add(begun);
    pending.push({ path, size, store, live: file, building: begun, token: changeAt.get(path)?.token });
  }
  const isUnknown = (path: string) => [...failed].some((store) => store.covers(path));
  const failedSources = new Set([...failed].map(({ source }) => source));
  const listed = new Set(documents.map(({ document: { path } }) => path));
  const removed = live.filter(({ path, source }) => !listed.has(path) && !failedSources.has(source));
  const unsettled = new Set([...pending, ...removed].map(({ path }) => path));
  return {
    pending,
    removed: removed.map((file) => ({ file, token: changeAt.get(file.path)?.token })),
    settled: changes.filter(({ path }) => !unsettled.has(path) && !isUnknown(path)),
    abandoned: building.filter((version) => !continued.has(version) && !isUnknown(version.path)),
  };
}

/** Orders noted changes first, then the newest. */
function notedFirst(changeAt: ReadonlyMap<string, FileNote>) {
  type Listed = Listing["documents"][number];
  return ({ document: a }: Listed, { document: b }: Listed): number =>
    Number(changeAt.has(b.path)) - Number(changeAt.has(a.path)) || b.modifiedAt - a.modifiedAt;
}

function indexByPath<Row extends { path: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.path, row]));
}
