import { type ErrorCode, IsopodError } from "../../lib/errors.ts";
import { type EgressCode, EgressError } from "../../security/egress-error.ts";
import type { SafeFetch, SafeRequest, SafeResponse } from "../../security/safe-fetch.ts";

/** What a download needs. */
export interface DownloadDeps {
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

/** A downloaded archive. */
export interface FetchedArchive {
  bytes: Uint8Array<ArrayBuffer>;
  resolved: ResolvedArchive;
}

/** The source of a downloaded archive. `sha256` is the digest of the archive. */
export type ResolvedArchive =
  | {
      kind: "url";
      /** The requested address, which an update requests again. */
      url: string;
      /** The folder of the skill in the archive. */
      path?: string;
      sha256: string;
    }
  | {
      kind: "clawhub";
      /** `slug` or `@owner/slug`, as the registry currently names it. */
      slug: string;
      version: string;
      sha256: string;
      /** The SHA-256 of each file by path, as the registry states them; undefined if it states none. */
      files: ReadonlyMap<string, string> | undefined;
    };

const CODES: Record<EgressCode, ErrorCode> = {
  bad_request: "invalid_request",
  refused: "forbidden",
  unresolved: "unavailable",
  too_many_redirects: "invalid_request",
  too_large: "payload_too_large",
  timed_out: "unavailable",
  unreachable: "unavailable",
};

/** Sends a request of an install. @throws IsopodError if there is no response; any HTTP status is returned */
export async function askOutside(fetch: SafeFetch, url: string, request: SafeRequest): Promise<SafeResponse> {
  try {
    return await fetch(url, request);
  } catch (thrown) {
    if (!(thrown instanceof EgressError)) throw thrown;
    throw new IsopodError(CODES[thrown.code], thrown.message, thrown.hint, { reason: thrown.code });
  }
}
