import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { ApiError, openResponse, type Request, requestJson, requestOk, type Server } from "../client/http.ts";
import { isVersions } from "../client/wire.ts";
import { Problem } from "./problem.ts";
import { explainFailures, requestCaller } from "./server.ts";
import { oneLine } from "./terminal-text.ts";

/** Largest file that a workspace takes. */
const MAX_BYTES = 10 * 1024 * 1024;
/** Files and folders that are not uploaded. */
const LEFT_OUT = new Set([".git", "node_modules", ".DS_Store", ".openclaw"]);
/** The files that a new workspace is seeded with. An upload replaces them while they are unchanged. */
const SEEDED_FILES = ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md"];

/** The options of an upload. */
export interface Upload {
  /** The agent whose workspace receives the files; the default agent where absent. */
  agentId: string | undefined;
  /** Whether existing files are replaced. Their versions are kept. */
  overwrite: boolean;
  /** Whether notes that exist get the text of their file below what they hold. */
  merge: boolean;
  isDry: boolean;
  note(line: string): void;
}

/** What becomes of a file. `kept` is a file that exists, was changed, and stays as it is. */
type Outcome = "written" | "replaced" | "merged" | "the same" | "kept" | "too large" | "refused";

/** A file to write: its content, and the version that it replaces; a new one has none. */
interface Write {
  outcome: "written" | "replaced" | "merged";
  content: Uint8Array<ArrayBuffer>;
  etag: string | undefined;
}

/** What is to be done about a file. */
type Step = Write | { outcome: Exclude<Outcome, Write["outcome"]> };

/** A workspace on the server. */
interface Place {
  server: Server;
  agentId: string;
}

/** Files that can be merged: notes, whose text may stand below that of others. */
const NOTES = /^(?:MEMORY\.md|USER\.md|memory\/.+\.md)$/;

/**
 * Uploads the files of a folder into a workspace, one at a time. Calling it again after a failure is safe: files that
 * are already uploaded stay as they are. A dry run tells the same and writes nothing.
 * @returns whether every file is in the workspace now, or would be
 * @throws Problem where the folder cannot be read, ApiError where the server fails
 */
export async function uploadWorkspace(server: Server, folder: string, upload: Upload): Promise<boolean> {
  const root = resolve(folder);
  const paths = await filesBelow(root);
  const place = { server, agentId: upload.agentId ?? (await requestCaller(server)).agentId };
  const outcomes = new Map<string, Outcome>();
  for (const path of paths) outcomes.set(path, await uploadFile(place, root, path, upload));
  const isInUse = paths.includes("AGENTS.md") && !paths.includes("BOOTSTRAP.md");
  if (isInUse && !upload.isDry) await endFirstConversation(place);
  for (const line of outcomeLines(place.agentId, outcomes, upload)) upload.note(line);
  return [...outcomes.values()].every((outcome) => !LACKING.has(outcome));
}

/** Outcomes that leave something out. */
const LACKING: ReadonlySet<Outcome> = new Set(["kept", "too large", "refused"]);

function outcomeLines(agentId: string, outcomes: ReadonlyMap<string, Outcome>, { isDry, merge }: Upload): string[] {
  const counts = new Map<Outcome, number>();
  for (const outcome of outcomes.values()) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const summary = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(", ") || "the folder is empty";
  const kept = [...outcomes].flatMap(([path, outcome]) => (outcome === "kept" ? [slashed(path)] : []));
  const mergeable = merge ? [] : kept.filter((path) => NOTES.test(path));
  const merging = mergeable.length > 0 ? ["--merge adds the text of notes below what is there."] : [];
  return [
    `\nThe workspace of '${agentId}'${isDry ? " would have" : ""}: ${summary}.`,
    ...kept.map((path) => `  ! ${oneLine(path)} is there already and stays as it is.`),
    ...(kept.length > 0 ? [["--overwrite replaces such files.", ...merging].join(" ")] : []),
  ];
}

async function uploadFile(place: Place, root: string, path: string, upload: Upload): Promise<Outcome> {
  const name = slashed(path);
  const file = join(root, path);
  if ((await stat(file)).size > MAX_BYTES) {
    upload.note(`  ! ${oneLine(name)} is larger than 10 MiB.`);
    return "too large";
  }
  try {
    const step = await stepFor(place, name, new Uint8Array(await readFile(file)), upload);
    if ("content" in step && !upload.isDry) await put(place, name, step);
    return step.outcome;
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 409, 412].includes(error.status)) throw error;
    upload.note(`  ! ${oneLine(name)}: ${oneLine(error.message)}`);
    return "refused";
  }
}

async function stepFor(
  place: Place,
  name: string,
  content: Uint8Array<ArrayBuffer>,
  { overwrite, merge }: Upload,
): Promise<Step> {
  const there = await existing(place, name);
  if (there === undefined) return { outcome: "written", content, etag: undefined };
  const { etag } = there;
  if (Buffer.compare(there.content, content) === 0) return { outcome: "the same" };
  if (overwrite || (await isSeeded(place, name))) return { outcome: "replaced", content, etag };
  if (!merge || !NOTES.test(name)) return { outcome: "kept" };
  const [before, added] = [there.content, content].map((bytes) => new TextDecoder().decode(bytes).trim());
  if (before?.includes(added ?? "")) return { outcome: "the same" };
  const merged = new TextEncoder().encode(`${before}\n\n## From OpenClaw\n\n${added}\n`);
  return { outcome: "merged", content: merged, etag };
}

/** A file of the workspace; undefined if there is none. */
async function existing(place: Place, name: string): Promise<{ content: Uint8Array; etag: string } | undefined> {
  try {
    const response = await explainFailures(place.server, () => openResponse(place.server, at(place, name)));
    return { content: new Uint8Array(await response.arrayBuffer()), etag: response.headers.get("etag") ?? "*" };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** @throws ApiError 412 where the file was changed since it was looked at */
async function put(place: Place, path: string, { content, etag }: Write): Promise<void> {
  const headers: Record<string, string> = etag === undefined ? { "if-none-match": "*" } : { "if-match": etag };
  await explainFailures(place.server, () =>
    requestOk(place.server, { ...at(place, path), method: "PUT", content, headers }),
  );
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}

/** Whether a file is still as it was seeded: a file that was overwritten has versions. */
async function isSeeded(place: Place, path: string): Promise<boolean> {
  if (!SEEDED_FILES.includes(path)) return false;
  const { versions } = await requestJson(place.server, at(place, path, "versions"), isVersions);
  return versions.length === 0;
}

/** Deletes BOOTSTRAP.md: an uploaded workspace that has been in use needs no first conversation. */
async function endFirstConversation(place: Place): Promise<void> {
  if (!(await isSeeded(place, "BOOTSTRAP.md"))) return;
  try {
    await requestOk(place.server, { ...at(place, "BOOTSTRAP.md"), method: "DELETE" });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
}

function at({ agentId }: Place, path: string, what: "workspace" | "versions" = "workspace"): Request {
  return {
    path: `/v1/agents/${encodeURIComponent(agentId)}/${what}/${path.split("/").map(encodeURIComponent).join("/")}`,
  };
}

/** Every file below a folder, by path; links are not followed. */
async function filesBelow(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((path) => !path.split(sep).some((name) => LEFT_OUT.has(name)))
      .sort();
  } catch (error) {
    if (error instanceof Error && "code" in error) throw new Problem(`${root} cannot be read: ${error.message}`);
    throw error;
  }
}
