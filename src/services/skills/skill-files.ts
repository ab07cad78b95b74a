import { folderDigest } from "../../skills/install/package-manifest.ts";
import {
  type LeftOut,
  type Skill,
  type SkillFile,
  type SkillRoot,
  type SkillSet,
  withBaseDir,
} from "../../skills/skill.ts";
import { decodeFileText } from "../../tools/file-output.ts";
import { decodeText, detectEncoding } from "../../workspace/decode-text.ts";

/** The scheme of skill files outside the workspace. */
const SCHEME = "skills://";

/** Whether a path is the address of a skill file outside the workspace. */
export function isSkillAddress(path: string): boolean {
  return path.startsWith(SCHEME);
}

/** Read access to the files of one turn's skills, limited to usable skills. */
export class SkillFiles {
  readonly #set: SkillSet;
  readonly #roots: readonly SkillRoot[];

  /** @param roots all skill roots; none is accessed before a file is requested */
  constructor(set: SkillSet, roots: readonly SkillRoot[]) {
    this.#set = set;
    this.#roots = roots;
  }

  /**
   * The text of a SKILL.md with `{baseDir}` replaced; undefined if it is gone.
   * @throws Error if the skill may not be used, the file is not text, or its store does not answer
   */
  async readSkill(location: string): Promise<string | undefined> {
    const skill = this.#set.eligible.find((candidate) => candidate.location === location);
    if (skill === undefined) throw new Error(this.#whyNot(location));
    const bytes = await this.#read(location);
    return bytes && withBaseDir(decodeFileText(location, bytes), skill.baseDir);
  }

  /**
   * The bytes of a file by address; undefined if there is none.
   * @throws Error if its skill may not be used, or its store does not answer
   */
  async readFile(address: string): Promise<Uint8Array | undefined> {
    if (this.#mayRead(address)) return this.#read(address);
    this.#refuse(address);
    return undefined;
  }

  /** Like `readFile`, but undefined if its skill may not be used. @throws Error if its store does not answer */
  async readIfAllowed(address: string): Promise<Uint8Array | undefined> {
    return this.#mayRead(address) ? this.#read(address) : undefined;
  }

  /** The readable files outside the workspace at and below an address. */
  async list(address: string): Promise<SkillFile[]> {
    const roots = this.#outside().filter(
      (root) => root.address.startsWith(address) || address.startsWith(root.address),
    );
    const lists = await Promise.all(roots.map(async (root) => withAddresses(root, await root.list())));
    const isThere = ({ path }: SkillFile) => path === address || path.startsWith(asFolder(address));
    const files = lists.flat().filter((file) => isThere(file) && this.#mayRead(file.path));
    if (files.length === 0) this.#refuse(asFolder(address));
    return files;
  }

  /** Roots for the shell's mounts below `/skills`. */
  mounts(): SkillRoot[] {
    return this.#outside().map((root) => ({
      ...root,
      list: async () => (await root.list()).filter(({ path }) => this.#mayRead(`${root.address}${path}`)),
      read: async (path, etag) => (this.#mayRead(`${root.address}${path}`) ? root.read(path, etag) : undefined),
    }));
  }

  /** The path of a skill's folder in the shell, by its location. */
  baseDirOf(location: string): string | undefined {
    return this.#set.eligible.find((skill) => skill.location === location)?.baseDir;
  }

  /** Roots outside the workspace with a usable skill. */
  #outside(): SkillRoot[] {
    const hasSkill = ({ address }: SkillRoot) =>
      this.#set.eligible.some(({ location }) => location.startsWith(address));
    return this.#roots.filter((root) => isSkillAddress(root.address) && hasSkill(root));
  }

  /** @throws Error if the address belongs to a skill that may not be used */
  #refuse(address: string): void {
    const leftOut = this.#set.leftOut.find((candidate) => isInSkillFolder(candidate, address));
    if (leftOut !== undefined) throw new Error(`${leftOut.name} may not be used: ${leftOut.reason}`);
  }

  #mayRead(address: string): boolean {
    return this.#set.eligible.some((skill) => isInSkillFolder(skill, address));
  }

  async #read(address: string): Promise<Uint8Array | undefined> {
    const root = this.#roots.find((candidate) => address.startsWith(candidate.address));
    return root?.read(address.slice(root.address.length));
  }

  #whyNot(location: string): string {
    const leftOut = this.#set.leftOut.find((candidate) => candidate.location === location);
    return leftOut === undefined
      ? `There is no skill at ${location}.`
      : `${leftOut.name} may not be used: ${leftOut.reason}`;
  }
}

/** Whether a file is in a skill's folder. A record of a whole root has no files. */
function isInSkillFolder({ location }: Skill | LeftOut, address: string): boolean {
  return !location.endsWith("/") && address.startsWith(location.slice(0, location.lastIndexOf("/") + 1));
}

function withAddresses(root: SkillRoot, files: readonly SkillFile[]): SkillFile[] {
  return files.map((file) => ({ ...file, path: `${root.address}${file.path}` }));
}

function asFolder(address: string): string {
  return address.endsWith("/") ? address : `${address}/`;
}

/** Most files that are listed, and the largest SKILL.md that is shown, in bytes. */
const MAX_FILES = 500;
const MAX_TEXT_BYTES = 512 * 1024;

/** The current contents of a skill's folder. */
export interface SkillFolder {
  /** By path, relative to the folder. */
  files: SkillFile[];
  /** The number of further files. */
  more: number;
  /** The digest of all files, which an owner confirms when they accept the skill. */
  seen: string;
  /** The text of its SKILL.md; undefined if it is gone, too large or not text. */
  text: string | undefined;
}

/**
 * Lists the folder of the skill at a location, usable or not; undefined if no root has it.
 * @throws if its store does not answer
 */
export async function skillFolder(location: string, roots: readonly SkillRoot[]): Promise<SkillFolder | undefined> {
  const root = roots.find(({ address }) => location.startsWith(address) && location !== address);
  if (root === undefined) return undefined;
  const path = location.slice(root.address.length);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const inside = (await root.list()).filter((file) => file.path.startsWith(folder));
  const files = inside.map((file) => ({ ...file, path: file.path.slice(folder.length) }));
  const own = inside.find((file) => file.path === path);
  return {
    files: files.slice(0, MAX_FILES),
    more: Math.max(0, files.length - MAX_FILES),
    seen: await folderDigest(files),
    text: await skillText(root, own),
  };
}

async function skillText(root: SkillRoot, file: SkillFile | undefined): Promise<string | undefined> {
  if (file === undefined || file.size > MAX_TEXT_BYTES) return undefined;
  const bytes = await root.read(file.path);
  if (bytes === undefined) return undefined;
  const decoded = decodeText({ bytes, offset: 0, isEnd: true }, detectEncoding(bytes));
  return decoded.kind === "text" ? decoded.text : undefined;
}
