import { digestOf } from "../../lib/digest.ts";
import { IsopodError } from "../../lib/errors.ts";
import { isArchive } from "./archive.ts";
import { askOutside, type DownloadDeps, type FetchedArchive } from "./archive-request.ts";
import { fetchFromClawHub } from "./clawhub.ts";
import type { SourcedArchive } from "./install-skill.ts";
import type { RedownloadArchive } from "./installed-skill.ts";
import type { LockSource } from "./lock.ts";
import { quotedName, refused } from "./refusal.ts";

/** Longest time for each request of a download, in milliseconds. */
export const DOWNLOAD_MS = 60_000;

/**
 * Gets an archive from where somebody says. A version that is asked for is kept to by later updates.
 * @param path which skill of several in it
 * @throws IsopodError as `fetchArchive` does
 */
export async function downloadArchive(
  wanted: ArchiveSource,
  path: string | undefined,
  ports: DownloadDeps,
): Promise<SourcedArchive> {
  const { bytes, resolved } = await fetchArchive(wanted, ports);
  if (resolved.kind === "url") {
    const inside = path ?? resolved.path;
    const source: LockSource = { kind: "url", url: resolved.url, ...(path !== undefined && { path }) };
    return { archive: bytes, source, path: inside };
  }
  const { slug, version, files } = resolved;
  const pinned = "slug" in wanted && wanted.version !== undefined;
  const source: LockSource = { kind: "clawhub", slug, registryUrl: ports.registryUrl, pinned };
  return { archive: bytes, source, version, path, expectedDigests: files, folderName: slug.split("/").at(-1) };
}

/**
 * Gets it again for an update, from where the lock says it came from. Another registry is not asked for it: what has the same name
 * there may be somebody else's.
 */
export function redownloadFrom(ports: DownloadDeps): RedownloadArchive {
  return async (source, version) => {
    if (source.kind === "url") return downloadArchive({ url: source.url }, source.path, ports);
    if (source.registryUrl !== ports.registryUrl) {
      const message = `${quotedName(source.slug)} came from ${source.registryUrl}, and the registry is ${ports.registryUrl} by now.`;
      const hint = "Install it with `replace` to have it from there.";
      throw refused("other_registry", message, hint, "conflict");
    }
    return downloadArchive({ slug: source.slug, version }, undefined, ports);
  };
}

/** Where an archive of a skill is to be had. */
export type ArchiveSource = { url: string } | { slug: string; version?: string | undefined };

/**
 * Gets the archive of a skill from a web address or from ClawHub.
 * @throws IsopodError with what is in the way: `forbidden` where the address or the registry's verdict is, `not_found`,
 * `rate_limited`, `payload_too_large`, `unsupported_media_type`, `unavailable`
 */
export async function fetchArchive(source: ArchiveSource, ports: DownloadDeps): Promise<FetchedArchive> {
  return "url" in source ? fromUrl(source.url, ports) : fetchFromClawHub(source.slug, source.version, ports);
}

async function fromUrl(address: string, { fetch, limits }: DownloadDeps): Promise<FetchedArchive> {
  const { url, path } = archiveLocation(address);
  const { status, headers, body } = await askOutside(fetch, url, limits);
  if (status !== 200) throw noArchive(status);
  if (!isArchive(body)) {
    const isPage = /^text\/html\b/.test(headers["content-type"] ?? "");
    const message = isPage ? "That address is a web page, not an archive." : "That is neither a .zip nor a .tar.gz.";
    const hint = "Give the address that downloads the archive, or upload it.";
    throw new IsopodError("unsupported_media_type", message, hint, { reason: "not_an_archive" });
  }
  const sha256 = await digestOf("SHA-256", body);
  return { bytes: body, resolved: { kind: "url", url: address, ...(path !== undefined && { path }), sha256 } };
}

function noArchive(status: number): IsopodError {
  if (status === 404 || status === 410) {
    return new IsopodError("not_found", "There is nothing at that address.", "Check it in a browser.");
  }
  if (status === 401 || status === 403) {
    const hint = "Download it yourself and upload it.";
    return new IsopodError("forbidden", `The server does not give it to everybody (${status}).`, hint);
  }
  return new IsopodError("unavailable", `The server answered with ${status}.`, "Try again later.");
}

/** Where the bytes of an archive are, and which folder in it is meant. */
export interface ArchiveLocation {
  url: string;
  /** A folder of the repository; undefined for all of it. */
  path?: string;
}

/**
 * Where the archive is that an address means. A page of GitHub stands for its repository, branch or folder, whose archive GitHub has
 * elsewhere; of a branch, the name ends at the first `/`. Any other address is the archive's own.
 */
export function archiveLocation(address: string): ArchiveLocation {
  const url = URL.parse(address);
  if (url === null || !["github.com", "www.github.com"].includes(url.hostname)) return { url: address };
  const [owner, name, kind, ref, ...rest] = url.pathname.split("/").filter((part) => part !== "");
  if (owner === undefined || name === undefined) return { url: address };
  const repository = `https://codeload.github.com/${owner}/${name.replace(/\.git$/, "")}/tar.gz`;
  if (kind === undefined) return { url: `${repository}/HEAD` };
  if (ref === undefined || (kind !== "tree" && kind !== "blob")) return { url: address };
  const folder = decoded((kind === "blob" ? rest.slice(0, -1) : rest).join("/"));
  return { url: `${repository}/${ref}`, ...(folder !== "" && { path: folder }) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // No path is written so: it is looked for as it stands, and not found.
    return path;
  }
}
