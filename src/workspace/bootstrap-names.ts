import type { WorkspaceEntry, WorkspaceFile } from "./workspace.ts";

/** A bootstrap file of a prompt; `file` is undefined if it does not exist. */
export interface BootstrapEntry {
  path: string;
  file: WorkspaceFile | undefined;
}

/** What decides which bootstrap files a prompt has. */
export interface BootstrapAudience {
  /** `minimal`, for sub-agents and jobs: AGENTS.md and TOOLS.md, and HEARTBEAT.md where it is included. */
  mode: "full" | "minimal";
  /** Whether HEARTBEAT.md is included; `alone` without any other file. */
  heartbeat: boolean | "alone";
  /** Whether personal files (USER.md, MEMORY.md) may be included. */
  personal: boolean;
  firstConversation: FirstConversation;
}

/**
 * Where the workspace's first conversation takes place: `here`, which includes BOOTSTRAP.md; `elsewhere`, because
 * others than the owner take part here; or `over`, after which BOOTSTRAP.md is never included.
 */
export type FirstConversation = "here" | "elsewhere" | "over";

/** The bootstrap files of a prompt in order, and warnings about misnamed files. */
export interface BootstrapChoice {
  wanted: BootstrapEntry[];
  warnings: string[];
}

/** Most names in one warning. */
const MAX_NAMED = 5;
/** Longer names cannot match: a root may have thousands of files. */
const MAX_NAME_CHARS = 24;

const NAMES = [
  "AGENTS.md",
  "SOUL.md",
  "TOOLS.md",
  "IDENTITY.md",
  "USER.md",
  "HEARTBEAT.md",
  "BOOTSTRAP.md",
  "MEMORY.md",
];
const PLAIN_NAMES: ReadonlySet<string> = new Set(NAMES.map((name) => name.toLowerCase()));

/** Chooses the files of a prompt by case-insensitive name; an exact match wins. */
export function chooseFiles(listing: readonly WorkspaceEntry[], audience: BootstrapAudience): BootstrapChoice {
  const files = listing.filter((entry) => entry.kind === "file").filter(isMeant);
  const choices = namesFor(audience).map((name) => {
    const namesakes = findNamesakes(files, name);
    const chosen = name === "MEMORY.md" ? memoryFiles(namesakes) : namesakes.slice(0, 1);
    return { name, namesakes, chosen };
  });
  return {
    wanted: choices.flatMap(({ name, chosen }): BootstrapEntry[] => {
      return chosen.length === 0
        ? [{ path: name, file: undefined }]
        : chosen.map((file) => ({ path: file.path, file }));
    }),
    warnings: [
      ...choices.flatMap(({ chosen, namesakes }) => shadowedWarnings(chosen, namesakes)),
      ...choices.flatMap(({ name }) => misspeltWarnings(files, name)),
      ...lateBootstrapWarnings(files, audience),
    ],
  };
}

/** The file names of a prompt, in its order. */
function namesFor({ mode, heartbeat, personal, firstConversation }: BootstrapAudience): string[] {
  if (heartbeat === "alone") return ["HEARTBEAT.md"];
  if (mode === "minimal") return ["AGENTS.md", "TOOLS.md", ...(heartbeat ? ["HEARTBEAT.md"] : [])];
  return [
    ...["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md"],
    ...(personal ? ["USER.md"] : []),
    ...(heartbeat ? ["HEARTBEAT.md"] : []),
    ...(firstConversation === "here" ? ["BOOTSTRAP.md"] : []),
    ...(personal ? ["MEMORY.md"] : []),
  ];
}

/** The root file with a name in any case, an exact match first; undefined if there is none. */
export function fileNamed(listing: readonly WorkspaceEntry[], name: string): WorkspaceFile | undefined {
  const files = listing.filter((entry) => entry.kind === "file");
  return findNamesakes(files, name)[0];
}

function findNamesakes(files: readonly WorkspaceFile[], name: string): WorkspaceFile[] {
  return files
    .filter((file) => file.path.toLowerCase() === name.toLowerCase())
    .sort((a, b) => Number(b.path === name) - Number(a.path === name));
}

/** MEMORY.md and memory.md if they differ; otherwise one file. */
function memoryFiles(namesakes: readonly WorkspaceFile[]): WorkspaceFile[] {
  const [first, ...others] = namesakes;
  if (first === undefined) return [];
  const second = others.find((file) => file.path === "memory.md" && file.etag !== first.etag);
  return second === undefined ? [first] : [first, second];
}

/** Warns of files whose names differ only in case from a chosen one. Identical copies are not mentioned. */
function shadowedWarnings(chosen: readonly WorkspaceFile[], namesakes: readonly WorkspaceFile[]): string[] {
  const shown = new Set(chosen.map(({ etag }) => etag));
  const left = namesakes.filter((file) => !chosen.includes(file) && !shown.has(file.etag));
  if (left.length === 0) return [];
  return [`${listed(left)} is not shown: ${listed(chosen)} is there, too, and names count whatever their case.`];
}

/** Warns of probable misspellings: spaces around the name, or an appended `.txt`. */
function misspeltWarnings(files: readonly WorkspaceFile[], name: string): string[] {
  const meant = files.filter(({ path }) => {
    return path.toLowerCase() !== name.toLowerCase() && plainName(path) === name.toLowerCase();
  });
  return meant.length === 0 ? [] : [`${listed(meant)} is not shown: rename it to ${name} if that is what it is.`];
}

/** Whether a name is, or is probably meant to be, a bootstrap file's. */
function isMeant({ path }: WorkspaceFile): boolean {
  return path.length <= MAX_NAME_CHARS && PLAIN_NAMES.has(plainName(path));
}

function plainName(path: string): string {
  return path
    .normalize("NFKC")
    .trim()
    .toLowerCase()
    .replace(/\.txt$/, "");
}

function lateBootstrapWarnings(
  files: readonly WorkspaceFile[],
  { mode, firstConversation }: BootstrapAudience,
): string[] {
  const file = fileNamed(files, "BOOTSTRAP.md");
  if (mode === "minimal" || firstConversation !== "over" || file === undefined || file.size === 0) return [];
  return [`${listed([file])} is not shown: it is for a first conversation, and that of this workspace is over.`];
}

function listed(files: readonly WorkspaceFile[]): string {
  const names = files.slice(0, MAX_NAMED).map(({ path }) => `\`${path}\``);
  return files.length > MAX_NAMED ? `${names.join(", ")} and ${files.length - MAX_NAMED} more` : names.join(", ");
}
