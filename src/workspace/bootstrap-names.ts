import type { WorkspaceEntry, WorkspaceFile } from "./workspace.ts";

/** A file that belongs into the prompt, and where it is if it exists. */
export interface BootstrapEntry {
  path: string;
  file: WorkspaceFile | undefined;
}

/** For whom and when the files are wanted. */
export interface BootstrapAudience {
  /** `minimal` is for sub-agents and jobs: AGENTS.md and TOOLS.md alone. */
  mode: "full" | "minimal";
  /** True for an agent whose prompt has heartbeats: HEARTBEAT.md is in. */
  heartbeat: boolean;
  /** True where what is personal may be shown: USER.md and MEMORY.md are in. */
  personal: boolean;
  firstConversation: FirstConversation;
}

/**
 * Where the workspace's first conversation takes place: here, and BOOTSTRAP.md is in; or elsewhere, because somebody
 * else than the owner alone listens. Once it is over no BOOTSTRAP.md is shown, whoever put it there.
 */
export type FirstConversation = "here" | "elsewhere" | "over";

/** Which files of the root a prompt wants, in its order, and what is wrong with their names. */
export interface BootstrapChoice {
  wanted: BootstrapEntry[];
  warnings: string[];
}

/** Most of the names that a warning lists. */
const MAX_NAMED = 5;
/** A longer name is none of ours, however it is written: a root may have thousands of files. */
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

/** Chooses the files of a prompt by their names, whatever their case: of several, the one that is spelt as usual. */
export function chooseFiles(listing: readonly WorkspaceEntry[], turnContext: BootstrapAudience): BootstrapChoice {
  const files = listing.filter((entry) => entry.kind === "file").filter(isMeant);
  const choices = namesFor(turnContext).map((name) => {
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
      ...lateBootstrapWarnings(files, turnContext),
    ],
  };
}

/** The names of the files that an occasion has, in the order of the prompt. */
function namesFor({ mode, heartbeat, personal, firstConversation }: BootstrapAudience): string[] {
  if (mode === "minimal") return ["AGENTS.md", "TOOLS.md"];
  return [
    ...["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md"],
    ...(personal ? ["USER.md"] : []),
    ...(heartbeat ? ["HEARTBEAT.md"] : []),
    ...(firstConversation === "here" ? ["BOOTSTRAP.md"] : []),
    ...(personal ? ["MEMORY.md"] : []),
  ];
}

/** The file of the root that has a name in any case, the one that is spelt so first; undefined where there is none. */
export function fileNamed(listing: readonly WorkspaceEntry[], name: string): WorkspaceFile | undefined {
  const files = listing.filter((entry) => entry.kind === "file");
  return findNamesakes(files, name)[0];
}

function findNamesakes(files: readonly WorkspaceFile[], name: string): WorkspaceFile[] {
  return files
    .filter((file) => file.path.toLowerCase() === name.toLowerCase())
    .sort((a, b) => Number(b.path === name) - Number(a.path === name));
}

/** MEMORY.md and memory.md, one of them where they hold the same; in other spellings, one file. */
function memoryFiles(namesakes: readonly WorkspaceFile[]): WorkspaceFile[] {
  const [first, ...others] = namesakes;
  if (first === undefined) return [];
  const second = others.find((file) => file.path === "memory.md" && file.etag !== first.etag);
  return second === undefined ? [first] : [first, second];
}

/** Files that differ from a chosen one only in the case of their names. Copies of what is shown hide nothing. */
function shadowedWarnings(chosen: readonly WorkspaceFile[], namesakes: readonly WorkspaceFile[]): string[] {
  const shown = new Set(chosen.map(({ etag }) => etag));
  const left = namesakes.filter((file) => !chosen.includes(file) && !shown.has(file.etag));
  if (left.length === 0) return [];
  return [`${listed(left)} is not shown: ${listed(chosen)} is there, too, and names count whatever their case.`];
}

/** Files that were probably meant: with spaces around their name, or with the `.txt` that editors add unseen. */
function misspeltWarnings(files: readonly WorkspaceFile[], name: string): string[] {
  const meant = files.filter(({ path }) => {
    return path.toLowerCase() !== name.toLowerCase() && plainName(path) === name.toLowerCase();
  });
  return meant.length === 0 ? [] : [`${listed(meant)} is not shown: rename it to ${name} if that is what it is.`];
}

/** Whether a file is one of ours, or was probably meant to be one. */
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
