import { digestOf } from "../../lib/digest.ts";
import { IsopodError } from "../../lib/errors.ts";
import type { SafeFetch } from "../../security/safe-fetch.ts";
import { archivePlaceOf } from "./archive-url.ts";
import { askOutside } from "./ask-outside.ts";
import { fetchFromClawHub } from "./clawhub.ts";
import { isArchive } from "./is-archive.ts";

/** Where an archive of a skill is to be had. */
export type ArchiveSource = { url: string } | { slug: string; version?: string | undefined };

/** What it takes to get one. */
export interface ArchivePorts {
  fetch: SafeFetch;
  /** `skills.install.registryUrl`. */
  registryUrl: string;
  /** The value of `skills.install.registryToken`. */
  registryToken?: string | undefined;
  limits: ArchiveLimits;
}

export interface ArchiveLimits {
  /** Largest archive, in bytes as it is downloaded. */
  maxBytes: number;
  /** Longest time for each request, in milliseconds. */
  timeoutMs: number;
}

/** An archive as it was found. */
export interface FetchedArchive {
  bytes: Uint8Array<ArrayBuffer>;
  resolved: ResolvedArchive;
}

/** Where it came from in the end. `sha256` is that of the archive. */
export type ResolvedArchive =
  | {
      kind: "url";
      /** As it was asked for, so that an update asks again for the same. */
      url: string;
      /** The folder in the archive that is meant. */
      path?: string;
      sha256: string;
    }
  | {
      kind: "clawhub";
      /** `slug`, or `@owner/slug`, as the registry has it now. */
      slug: string;
      version: string;
      sha256: string;
      /** The SHA-256 of each file, by path, as the registry says; undefined where it says none. */
      files: ReadonlyMap<string, string> | undefined;
    };

/**
 * Gets the archive of a skill from a web address or from ClawHub.
 * @throws IsopodError with what is in the way: `forbidden` where the address or the registry's verdict is, `not_found`,
 * `rate_limited`, `payload_too_large`, `unsupported_media_type`, `unavailable`
 */
export async function fetchArchive(source: ArchiveSource, ports: ArchivePorts): Promise<FetchedArchive> {
  return "url" in source ? fromUrl(source.url, ports) : fetchFromClawHub(source.slug, source.version, ports);
}

async function fromUrl(address: string, { fetch, limits }: ArchivePorts): Promise<FetchedArchive> {
  const { url, path } = archivePlaceOf(address);
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
