import { type ArchivePorts, type ArchiveSource, fetchArchive } from "./download.ts";
import type { GotArchive } from "./got-archive.ts";
import type { LockSource } from "./lock.ts";
import { refused, shown } from "./refuse.ts";
import type { GetAgain } from "./update-skill.ts";

/** Longest time for each request of a download, in milliseconds. */
export const DOWNLOAD_MS = 60_000;

/**
 * Gets an archive from where somebody says. A version that is asked for is kept to by later updates.
 * @param path which skill of several in it
 * @throws IsopodError as `fetchArchive` does
 */
export async function getArchive(
  wanted: ArchiveSource,
  path: string | undefined,
  ports: ArchivePorts,
): Promise<GotArchive> {
  const { bytes, resolved } = await fetchArchive(wanted, ports);
  if (resolved.kind === "url") {
    const inside = path ?? resolved.path;
    const source: LockSource = { kind: "url", url: resolved.url, ...(path !== undefined && { path }) };
    return { archive: bytes, source, path: inside };
  }
  const { slug, version, files } = resolved;
  const pinned = "slug" in wanted && wanted.version !== undefined;
  const source: LockSource = { kind: "clawhub", slug, registryUrl: ports.registryUrl, pinned };
  return { archive: bytes, source, version, path, promised: files, called: slug.split("/").at(-1) };
}

/**
 * Gets it again for an update, from where the lock says it came from. Another registry is not asked for it: what has the same name
 * there may be somebody else's.
 */
export function getAgainFrom(ports: ArchivePorts): GetAgain {
  return async (source, version) => {
    if (source.kind === "url") return getArchive({ url: source.url }, source.path, ports);
    if (source.registryUrl !== ports.registryUrl) {
      const message = `${shown(source.slug)} came from ${source.registryUrl}, and the registry is ${ports.registryUrl} by now.`;
      const hint = "Install it with `replace` to have it from there.";
      throw refused("other_registry", message, hint, "conflict");
    }
    return getArchive({ slug: source.slug, version }, undefined, ports);
  };
}
