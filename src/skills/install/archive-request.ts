import { type ErrorCode, IsopodError } from "../../lib/errors.ts";
import { type EgressCode, EgressError } from "../../security/egress-error.ts";
import type { SafeFetch, SafeRequest, SafeResponse } from "../../security/safe-fetch.ts";

/** What it takes to get one. */
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

const CODES: Record<EgressCode, ErrorCode> = {
  bad_request: "invalid_request",
  refused: "forbidden",
  unresolved: "unavailable",
  too_many_redirects: "invalid_request",
  too_large: "payload_too_large",
  timed_out: "unavailable",
  unreachable: "unavailable",
};

/** Asks the outside for what an install needs. @throws IsopodError where there is no answer; any status is one */
export async function askOutside(fetch: SafeFetch, url: string, request: SafeRequest): Promise<SafeResponse> {
  try {
    return await fetch(url, request);
  } catch (thrown) {
    if (!(thrown instanceof EgressError)) throw thrown;
    throw new IsopodError(CODES[thrown.code], thrown.message, thrown.hint, { reason: thrown.code });
  }
}
