import { withBaseDir } from "../../skills/base-dir.ts";
import type { LeftOut, Skill, SkillFile, SkillRoot } from "../../skills/skill.ts";
import type { SkillSet } from "../../skills/skill-set.ts";
import { decodeFileText } from "../../tools/file-output.ts";

/** What the addresses of skills' files begin with that are not in the workspace. */
const SCHEME = "skills://";

/** Whether this is the address of a file of a skill that is not in the workspace. */
export function isSkillAddress(path: string): boolean {
  return path.startsWith(SCHEME);
}

/** The files of the skills of one turn: those that may be used can be read, and no others. */
export class SkillFiles {
  readonly #set: SkillSet;
  readonly #roots: readonly SkillRoot[];

  /** @param roots where skills may be; none is asked before a file is wanted */
  constructor(set: SkillSet, roots: readonly SkillRoot[]) {
    this.#set = set;
    this.#roots = roots;
  }

  /**
   * The text of the SKILL.md at a location, as its reader is to follow it; undefined where it is gone.
   * @throws Error where it may not be used, or is no text, or its store does not answer
   */
  async readSkill(location: string): Promise<string | undefined> {
    const skill = this.#set.eligible.find((candidate) => candidate.location === location);
    if (skill === undefined) throw new Error(this.#whyNot(location));
    const bytes = await this.#read(location);
    return bytes && withBaseDir(decodeFileText(location, bytes), skill.baseDir);
  }

  /**
   * The bytes of a file of a skill that may be used, by its address; undefined where there is none.
   * @throws Error where its skill may not be used, or its store does not answer
   */
  async readFile(address: string): Promise<Uint8Array | undefined> {
    if (this.#mayRead(address)) return this.#read(address);
    this.#refuse(address);
    return undefined;
  }

  /** The same; undefined also where its skill may not be used. @throws Error where its store does not answer */
  async readIfAllowed(address: string): Promise<Uint8Array | undefined> {
    return this.#mayRead(address) ? this.#read(address) : undefined;
  }

  /** Files of skills that may be used and are outside of the workspace, by address, at an address and below it. */
  async list(address: string): Promise<SkillFile[]> {
    const roots = this.#outside().filter(
      (root) => root.address.startsWith(address) || address.startsWith(root.address),
    );
    const lists = await Promise.all(roots.map(async (root) => addressed(root, await root.list())));
    const isThere = ({ path }: SkillFile) => path === address || path.startsWith(folderOf(address));
    const files = lists.flat().filter((file) => isThere(file) && this.#mayRead(file.path));
    if (files.length === 0) this.#refuse(folderOf(address));
    return files;
  }

  /** What the shell has of them below `/skills`. */
  mounts(): SkillRoot[] {
    return this.#outside().map((root) => ({
      ...root,
      list: async () => (await root.list()).filter(({ path }) => this.#mayRead(`${root.address}${path}`)),
      read: async (path, etag) => (this.#mayRead(`${root.address}${path}`) ? root.read(path, etag) : undefined),
    }));
  }

  /** Where a skill's folder is in the shell, by the path of its SKILL.md in the workspace. */
  baseDirOf(location: string): string | undefined {
    return this.#set.eligible.find((skill) => skill.location === location)?.baseDir;
  }

  /** The roots outside of the workspace that have a skill which may be used. */
  #outside(): SkillRoot[] {
    const hasSkill = ({ address }: SkillRoot) =>
      this.#set.eligible.some(({ location }) => location.startsWith(address));
    return this.#roots.filter((root) => isSkillAddress(root.address) && hasSkill(root));
  }

  /** @throws Error where it is of a skill that may not be used */
  #refuse(address: string): void {
    const leftOut = this.#set.leftOut.find((candidate) => isOf(candidate, address));
    if (leftOut !== undefined) throw new Error(`${leftOut.name} may not be used: ${leftOut.reason}`);
  }

  #mayRead(address: string): boolean {
    return this.#set.eligible.some((skill) => isOf(skill, address));
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

/** Whether a file is in the folder of a skill. What is said of a whole place is about no skill's files. */
function isOf({ location }: Skill | LeftOut, address: string): boolean {
  return !location.endsWith("/") && address.startsWith(location.slice(0, location.lastIndexOf("/") + 1));
}

function addressed(root: SkillRoot, files: readonly SkillFile[]): SkillFile[] {
  return files.map((file) => ({ ...file, path: `${root.address}${file.path}` }));
}

function folderOf(address: string): string {
  return address.endsWith("/") ? address : `${address}/`;
}
