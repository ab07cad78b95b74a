import type { SafeFetch } from "../../security/safe-fetch.ts";

/** Where an archive of a skill is to be had. */
export type ArchiveSource = { url: string } | { slug: string; version?: string | undefined };

/** What it takes to get an archive. */
export interface ArchivePorts {
  fetch: SafeFetch;
  /** `skills.install.registryUrl`. */
  registryUrl: string;
  limits: ArchiveLimits;
}

export interface ArchiveLimits {
  /** Largest archive, in bytes as it is downloaded. */
  maxBytes: number;
  /** Longest time for each request, in milliseconds. */
  timeoutMs: number;
}

/** An archive as it was found. Its digest is of `bytes`, and a registry's own digest was compared where it gives one. */
export interface FetchedArchive {
  bytes: Uint8Array<ArrayBuffer>;
  kind: "zip" | "tar.gz";
  resolved: ResolvedArchive;
}

/** Where it came from in the end. */
export type ResolvedArchive =
  | { kind: "url"; url: string; sha256: string }
  | { kind: "clawhub"; slug: string; version: string; sha256: string };
