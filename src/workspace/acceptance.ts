import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { acceptedFiles } from "../db/schema.ts";
import type { Label } from "../security/labels.ts";
import { type Workspace, type WorkspaceEntry, WorkspaceError } from "./workspace.ts";

/** Upper-case names of the files that define an agent, BOOT.md included. */
const NAMES: ReadonlySet<string> = new Set(
  ["AGENTS", "SOUL", "TOOLS", "IDENTITY", "USER", "HEARTBEAT", "BOOTSTRAP", "MEMORY", "BOOT"].map(
    (name) => `${name}.MD`,
  ),
);

/** A file version that the owner accepted. Instants are milliseconds since the epoch. */
export interface AcceptedFile {
  path: string;
  etag: string;
  at: number;
}

/** A file compared with its accepted version: unchanged, changed, new, or gone. */
export interface ReviewedFile {
  path: string;
  state: "accepted" | "changed" | "new" | "gone";
  /** The current etag; absent if the file is gone. */
  etag?: string;
  /** Where words of it come from that the owner has not accepted. */
  labels?: readonly Label[];
  acceptedAt?: number;
}

/** The result of comparing an agent's files with the accepted ones. */
export interface Review {
  /** False if nothing was ever accepted: then every file is new, and no warning is given. */
  hasAccepted: boolean;
  files: ReviewedFile[];
}

/** Compares a root listing with the accepted files, by name. Pure. */
export function compareAccepted(listing: readonly WorkspaceEntry[], accepted: readonly AcceptedFile[]): ReviewedFile[] {
  const files = listing.filter((entry) => entry.kind === "file" && NAMES.has(entry.path.toUpperCase()));
  const known = new Map(accepted.map((file) => [file.path, file]));
  const present = files.flatMap((file): ReviewedFile[] => {
    if (file.kind !== "file") return [];
    const { path, etag } = file;
    const current = { path, etag, ...(file.labels && { labels: file.labels.labels }) };
    const before = known.get(path);
    if (before === undefined) return [{ ...current, state: "new" }];
    return [{ ...current, state: before.etag === etag ? "accepted" : "changed", acceptedAt: before.at }];
  });
  const paths = new Set(files.map(({ path }) => path));
  const gone = accepted.filter(({ path }) => !paths.has(path));
  return [...present, ...gone.map(({ path, at }): ReviewedFile => ({ path, state: "gone", acceptedAt: at }))];
}

/** Compares an agent's files with the accepted ones. One store operation and one query. */
export async function reviewFiles(
  database: D1Database,
  workspace: Pick<Workspace, "list">,
  agentId: string,
): Promise<Review> {
  const reading = drizzle(database).select().from(acceptedFiles).where(eq(acceptedFiles.agentId, agentId));
  const [listing, accepted] = await Promise.all([workspace.list(""), reading]);
  return { hasAccepted: accepted.length > 0, files: compareAccepted(listing, accepted) };
}

/**
 * Accepts all current files, with all their words: their labels go. A reviewer passes the etags that were read: if any file differs from them, nothing is
 * accepted.
 * @param seen etags by path; absent to accept the current files
 * @throws WorkspaceError `conflict` that names the file, `unavailable`
 */
export async function acceptFiles(
  database: D1Database,
  workspace: Pick<Workspace, "list" | "acceptWords">,
  agentId: string,
  { seen, now }: { seen: Readonly<Record<string, string>> | undefined; now: number },
): Promise<Review> {
  const present = compareAccepted(await workspace.list(""), []);
  const moved = seen && differing(present, seen);
  if (moved !== undefined) {
    throw new WorkspaceError("conflict", moved, `\`${moved}\` is not as it was read, so nothing was accepted.`);
  }
  for (const { path, etag = "", labels } of present) if (labels !== undefined) await workspace.acceptWords(path, etag);
  const rows = present.map(({ path, etag = "" }) => ({ agentId, path, etag, at: now }));
  const db = drizzle(database);
  const drop = db.delete(acceptedFiles).where(eq(acceptedFiles.agentId, agentId));
  if (rows.length === 0) await drop;
  else await db.batch([drop, db.insert(acceptedFiles).values(rows.slice(0, MAX_ROWS))]);
  return reviewFiles(database, workspace, agentId);
}

/** Four parameters a row; D1 takes 100 in one statement. */
const MAX_ROWS = 25;

/** The first path whose file is not the one that was read. */
function differing(present: readonly ReviewedFile[], seen: Readonly<Record<string, string>>): string | undefined {
  const current = new Map(present.map(({ path, etag }) => [path, etag]));
  return [...new Set([...current.keys(), ...Object.keys(seen)])].find((path) => current.get(path) !== seen[path]);
}
