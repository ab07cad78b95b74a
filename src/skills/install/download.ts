import { digestOf } from "../../lib/digest.ts";
import { IsopodError } from "../../lib/errors.ts";
import { isArchive } from "./archive.ts";
import { askOutside, type DownloadDeps, type FetchedArchive } from "./archive-request.ts";
import { fetchFromClawHub } from "./clawhub.ts";
import type { SourcedArchive } from "./install-skill.ts";
import type { RedownloadArchive } from "./installed-skill.ts";
import type { LockSource } from "./lock.ts";
import { quotedName, refused } from "./refusal.ts";

/** Timeout of each request of a download, in milliseconds. */
export const DOWNLOAD_MS = 60_000;

/**
 * Downloads an archive from a URL or from ClawHub. Later updates keep to an explicitly requested version.
 * @param path which skill of several in the archive
 * @throws IsopodError as `fetchArchive` does
 */
export async function downloadArchive(
  request: ArchiveSource,
  path: string | undefined,
  deps: DownloadDeps,
): Promise<SourcedArchive> {
  const { bytes, resolved } = await fetchArchive(request, deps);
  if (resolved.kind === "url") {
    const inside = path ?? resolved.path;
    const source: LockSource = { kind: "url", url: resolved.url, ...(path !== undefined && { path }) };
    return { archive: bytes, source, path: inside };
  }
  const { slug, version, files } = resolved;
  const pinned = "slug" in request && request.version !== undefined;
  const source: LockSource = { kind: "clawhub", slug, registryUrl: deps.registryUrl, pinned };
  return { archive: bytes, source, version, path, expectedDigests: files, folderName: slug.split("/").at(-1) };
}

/**
 * Downloads an archive again for an update, from the source in the lock. It refuses if the configured registry has
 * changed, because another registry may have another author's skill under the same name.
 */
export function redownloadFrom(deps: DownloadDeps): RedownloadArchive {
  return async (source, version) => {
    if (source.kind === "url") return downloadArchive({ url: source.url }, source.path, deps);
    if (source.registryUrl !== deps.registryUrl) {
      const message = `${quotedName(source.slug)} came from ${source.registryUrl}, and the registry is ${deps.registryUrl} by now.`;
      const hint = "Install it with `replace` to have it from there.";
      throw refused("other_registry", message, hint, "conflict");
    }
    return downloadArchive({ slug: source.slug, version }, undefined, deps);
  };
}

/** Where to download an archive: a URL, or a slug of ClawHub. */
export type ArchiveSource = { url: string } | { slug: string; version?: string | undefined };

/**
 * Downloads the archive of a skill from a URL or from ClawHub.
 * @throws IsopodError `forbidden` (address or registry verdict), `not_found`, `rate_limited`, `payload_too_large`,
 * `unsupported_media_type`, `unavailable`
 */
export async function fetchArchive(source: ArchiveSource, deps: DownloadDeps): Promise<FetchedArchive> {
  return "url" in source ? fromUrl(source.url, deps) : fetchFromClawHub(source.slug, source.version, deps);
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

/** The download URL of an archive, and the folder in it. */
export interface ArchiveLocation {
  url: string;
  /** A folder of the repository; undefined for the whole repository. */
  path?: string;
}

/**
 * The download URL for an address. A GitHub page of a repository, branch or folder is mapped to GitHub's archive URL (a
 * branch name ends at the first `/`); any other address is used as it is.
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
    // An invalid escape: the path is used unchanged, and will not be found.
    return path;
  }
}
