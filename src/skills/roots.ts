import { digestOf } from "../lib/digest.ts";
import { pathFault } from "../lib/relative-path.ts";
import { DELETION_MARK_ETAG } from "../workspace/file-store.ts";
import { listKeys } from "../workspace/listing.ts";
import { createAttempt } from "../workspace/retry.ts";
import { type Workspace, WorkspaceError } from "../workspace/workspace.ts";
import type { SkillFile, SkillRoot } from "./skill.ts";

/** Where a root is, besides the files in it. */
export type RootPlace = Pick<SkillRoot, "source" | "address" | "mount">;

/** The folders of a workspace in which skills are. */
const WORKSPACE_FOLDERS = { workspace: "skills", agents: ".agents/skills" } as const;

/** The R2 prefix of the skills that all agents share. */
const MANAGED_PREFIX = "skills/managed/";

const MAX_KEY_BYTES = 1024;

/** The skills of one agent's workspace: those in `skills/`, and those in `.agents/skills/`. One store operation each for 1,000 files. */
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
      read: (path, etag) => readFrom(workspace, `${folder}/${path}`, etag),
    };
  });
}

async function readFrom(workspace: Pick<Workspace, "read">, path: string, etag: string | undefined) {
  try {
    const { bytes, file } = await workspace.read(path);
    return etag === undefined || file.etag === etag ? bytes : undefined;
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.code === "not_found") return undefined;
    throw thrown;
  }
}

/** The skills below a prefix of a bucket, which ends with `/`. Keys that no path can name are no files of it. */
export function bucketRoot(
  bucket: Pick<R2Bucket, "list" | "get">,
  prefix: string,
  place: RootPlace,
  wait?: (ms: number) => Promise<void>,
): SkillRoot {
  const attempt = createAttempt(wait);
  return {
    ...place,
    async list() {
      const { objects } = await listKeys({ bucket: bucket as R2Bucket, attempt }, place.address, { prefix });
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

/** The skills that all agents share. */
export function managedRoot(bucket: Pick<R2Bucket, "list" | "get">): SkillRoot {
  return bucketRoot(bucket, MANAGED_PREFIX, {
    source: "managed",
    address: "skills://managed/",
    mount: "/skills/managed/",
  });
}

/** A prefix of `skills.load.extraDirs` as a root, with or without the `/` at its end. */
export function extraRoot(bucket: Pick<R2Bucket, "list" | "get">, dir: string): SkillRoot {
  const folder = dir.replace(/\/$/, "");
  return bucketRoot(bucket, `${folder}/`, {
    source: "extra",
    address: `skills://extra/${folder}/`,
    mount: `/skills/extra/${folder}/`,
  });
}

/** Skills that are compiled in, as the texts of their files by path, such as `weather/SKILL.md`. */
export function textsRoot(texts: Readonly<Record<string, string>>, place: RootPlace): SkillRoot {
  const encoder = new TextEncoder();
  return {
    ...place,
    list: () => Promise.all(Object.entries(texts).map(([path, text]) => fileOf(path, encoder.encode(text)))),
    async read(path, etag) {
      const text = Object.hasOwn(texts, path) ? texts[path] : undefined;
      if (text === undefined) return undefined;
      const bytes = encoder.encode(text);
      return etag === undefined || (await fileOf(path, bytes)).etag === etag ? bytes : undefined;
    },
  };
}

async function fileOf(path: string, bytes: Uint8Array): Promise<SkillFile> {
  return { path, etag: await digestOf("SHA-256", bytes), size: bytes.length };
}

/** The skills that come with Isopod, each in a folder of its name. */
export function bundledRoot(skills: readonly { name: string; files: Readonly<Record<string, string>> }[]): SkillRoot {
  const texts = skills.flatMap(({ name, files }) =>
    Object.entries(files).map(([path, text]) => [`${name}/${path}`, text]),
  );
  const place = { source: "bundled", address: "skills://bundled/", mount: "/skills/bundled/" } as const;
  return textsRoot(Object.fromEntries(texts), place);
}
