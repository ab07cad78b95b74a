import { digestOf } from "../lib/digest.ts";
import { pathFault } from "../lib/relative-path.ts";
import { DELETION_MARK_ETAG } from "../workspace/file-store.ts";
import { listKeys } from "../workspace/listing.ts";
import { createAttempt } from "../workspace/retry.ts";
import { type Workspace, WorkspaceError } from "../workspace/workspace.ts";
import type { BundledSkill } from "./bundled-skills.ts";
import { readSkillText } from "./read-skill.ts";
import type { SkillFile, SkillRoot } from "./skill.ts";

/** The source, address and mount of a root. */
export type RootAddress = Pick<SkillRoot, "source" | "address" | "mount">;

/** The skill folders of a workspace. */
const WORKSPACE_FOLDERS = { workspace: "skills", agents: ".agents/skills" } as const;

/** The R2 prefix of skills for all agents. */
const MANAGED_PREFIX = "skills/managed/";

const MAX_KEY_BYTES = 1024;

/**
 * The skill roots of one agent's workspace: `skills/` and `.agents/skills/`. Listing costs one store operation each per
 * 1,000 files.
 */
export function workspaceRoots(workspace: Pick<Workspace, "walk" | "read">): SkillRoot[] {
  return (["workspace", "agents"] as const).map((source) => {
    const folder = WORKSPACE_FOLDERS[source];
    return {
      source,
      address: `${folder}/`,
      mount: `/workspace/${folder}/`,
      async list() {
        const files = await workspace.walk(folder);
        return files.map(({ path, etag, size }) => ({ path: path.slice(folder.length + 1), etag, size }));
      },
      read: (path, etag) => readWorkspaceFile(workspace, `${folder}/${path}`, etag),
    };
  });
}

async function readWorkspaceFile(workspace: Pick<Workspace, "read">, path: string, etag: string | undefined) {
  try {
    const { bytes, file } = await workspace.read(path);
    return etag === undefined || file.etag === etag ? bytes : undefined;
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return undefined;
    throw thrown;
  }
}

/** A root over a prefix of a bucket, which ends with `/`. Keys that are not valid paths are ignored. */
export function bucketRoot(
  bucket: Pick<R2Bucket, "list" | "get">,
  prefix: string,
  rootAddress: RootAddress,
  wait?: (ms: number) => Promise<void>,
): SkillRoot {
  const attempt = createAttempt(wait);
  return {
    ...rootAddress,
    async list() {
      const { objects } = await listKeys({ bucket: bucket as R2Bucket, attempt }, rootAddress.address, { prefix });
      return objects.flatMap(({ key, etag, size }) => {
        const path = key.slice(prefix.length);
        const isFile = etag !== DELETION_MARK_ETAG && pathFault(path, MAX_KEY_BYTES) === undefined;
        return isFile ? [{ path, etag, size }] : [];
      });
    },
    async read(path, etag) {
      const only = etag === undefined ? {} : { onlyIf: { etagMatches: etag } };
      const object = await attempt(path, () => bucket.get(`${prefix}${path}`, only));
      return object !== null && "body" in object ? new Uint8Array(await object.arrayBuffer()) : undefined;
    },
  };
}

/** The root of skills for all agents. */
export function managedRoot(bucket: Pick<R2Bucket, "list" | "get">): SkillRoot {
  return bucketRoot(bucket, MANAGED_PREFIX, {
    source: "managed",
    address: "skills://managed/",
    mount: "/skills/managed/",
  });
}

/** A root for a prefix of `skills.load.extraDirs`, with or without a trailing `/`. */
export function extraRoot(bucket: Pick<R2Bucket, "list" | "get">, dir: string): SkillRoot {
  const folder = dir.replace(/\/$/, "");
  return bucketRoot(bucket, `${folder}/`, {
    source: "extra",
    address: `skills://extra/${folder}/`,
    mount: `/skills/extra/${folder}/`,
  });
}

/** A root over compiled-in texts by path, such as `weather/SKILL.md`. */
export function textsRoot(texts: Readonly<Record<string, string>>, rootAddress: RootAddress): SkillRoot {
  const encoder = new TextEncoder();
  return {
    ...rootAddress,
    list: () => Promise.all(Object.entries(texts).map(([path, text]) => textFile(path, encoder.encode(text)))),
    async read(path, etag) {
      const text = Object.hasOwn(texts, path) ? texts[path] : undefined;
      if (text === undefined) return undefined;
      const bytes = encoder.encode(text);
      return etag === undefined || (await textFile(path, bytes)).etag === etag ? bytes : undefined;
    },
  };
}

async function textFile(path: string, bytes: Uint8Array): Promise<SkillFile> {
  return { path, etag: await digestOf("SHA-256", bytes), size: bytes.length };
}

const BUNDLED = { source: "bundled", address: "skills://bundled/", mount: "/skills/bundled/" } as const;

/** The root of bundled skills, each in a folder of its name. */
export function bundledRoot(skills: readonly BundledSkill[]): SkillRoot {
  const texts = skills.flatMap(({ name, files }) =>
    Object.entries(files).map(([path, text]) => [`${name}/${path}`, text]),
  );
  return textsRoot(Object.fromEntries(texts), BUNDLED);
}

/** The root of bundled skills that are loaded when they are asked for. */
export function lateBundledRoot(load: () => Promise<readonly BundledSkill[]>): SkillRoot {
  const root = async () => bundledRoot(await load());
  return {
    ...BUNDLED,
    list: async () => (await root()).list(),
    read: async (...args) => (await root()).read(...args),
  };
}

/** A skill of a plugin: the text of its SKILL.md, or all its files by path, `SKILL.md` included. */
export type SkillTexts = string | Readonly<Record<string, string>>;

/** The name in the front matter of a plugin's skill; undefined if it has none. */
export function pluginSkillName(skill: SkillTexts): string | undefined {
  const reading = readSkillText(typeof skill === "string" ? skill : (skill["SKILL.md"] ?? ""));
  return reading.kind === "read" ? reading.name : undefined;
}

/** The root of one plugin's skills, each in a folder of its name. */
export function pluginRoot(plugin: string, skills: readonly SkillTexts[]): SkillRoot {
  const texts: Record<string, string> = {};
  skills.forEach((skill, at) => {
    const named = pluginSkillFolder(pluginSkillName(skill), at);
    const folder = Object.hasOwn(texts, `${named}/SKILL.md`) ? `${named}-${at + 1}` : named;
    const files = typeof skill === "string" ? { "SKILL.md": skill } : skill;
    for (const [path, text] of Object.entries(files)) texts[`${folder}/${path}`] = text;
  });
  return textsRoot(texts, {
    source: "plugin",
    address: `skills://plugin/${plugin}/`,
    mount: `/skills/plugin/${plugin}/`,
  });
}

/** The folder for a name, or for the skill's number if no character of the name is usable. */
function pluginSkillFolder(name: string | undefined, at: number): string {
  const folder = (name ?? "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_-]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return folder === "" ? `skill-${at + 1}` : folder;
}
