import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { ApiError, type Request, requestJson, requestOk, type Server } from "../client/http.ts";
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
  isDry: boolean;
  note(line: string): void;
}

type Outcome = "written" | "already there" | "too large" | "refused";

/** A workspace on the server. */
interface Place {
  server: Server;
  agentId: string;
}

/**
 * Uploads the files of a folder into a workspace, one at a time. Calling it again after a failure is safe: files that
 * are already uploaded stay as they are.
 * @throws Problem where the folder cannot be read, ApiError where the server fails
 */
export async function uploadWorkspace(server: Server, folder: string, upload: Upload): Promise<void> {
  const root = resolve(folder);
  const paths = await filesBelow(root);
  const place = { server, agentId: upload.agentId ?? (await requestCaller(server)).agentId };
  if (upload.isDry)
    return upload.note(`\n${paths.length} files would be uploaded into the workspace of '${place.agentId}'.`);
  const counts = new Map<Outcome, number>();
  for (const path of paths) {
    const outcome = await uploadFile(place, root, path, upload);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  if (paths.includes("AGENTS.md") && !paths.includes("BOOTSTRAP.md")) await endFirstConversation(place);
  const summary = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
  upload.note(`\nThe workspace of '${place.agentId}': ${summary || "the folder is empty"}.`);
}

async function uploadFile(place: Place, root: string, path: string, upload: Upload): Promise<Outcome> {
  const file = join(root, path);
  if ((await stat(file)).size > MAX_BYTES) {
    upload.note(`  ! ${oneLine(path)} is larger than 10 MiB.`);
    return "too large";
  }
  const content = new Uint8Array(await readFile(file));
  const name = path.split(sep).join("/");
  try {
    const isStored = await put(place, name, content, upload.overwrite);
    if (isStored) return "written";
    return (await isSeeded(place, name)) && (await put(place, name, content, true)) ? "written" : "already there";
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 409)) throw error;
    upload.note(`  ! ${oneLine(path)}: ${oneLine(error.message)}`);
    return "refused";
  }
}

/** Resolves with false where the file exists and may not be replaced. */
async function put(place: Place, path: string, content: Uint8Array<ArrayBuffer>, replaces: boolean): Promise<boolean> {
  const headers: Record<string, string> = replaces ? {} : { "if-none-match": "*" };
  try {
    await explainFailures(place.server, () =>
      requestOk(place.server, { ...at(place, path), method: "PUT", content, headers }),
    );
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 412) return false;
    throw error;
  }
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
