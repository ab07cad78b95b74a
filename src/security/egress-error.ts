/** Why a request to the outside came to nothing. */
export type EgressCode =
  /** The address, method or header is none that can be asked for. */
  | "bad_request"
  /** Where it would go is not open to it. */
  | "refused"
  /** The name has no address. */
  | "unresolved"
  | "too_many_redirects"
  | "too_large"
  | "timed_out"
  /** Nobody answered, or the connection broke. */
  | "unreachable";

/** What a guarded request ends with where it has no answer. It names hosts, never paths, queries or headers, which may hold secrets. */
export class EgressError extends Error {
  readonly code: EgressCode;
  /** What to do about it. */
  readonly hint: string;

  constructor(code: EgressCode, message: string, hint: string) {
    super(message);
    this.name = "EgressError";
    this.code = code;
    this.hint = hint;
  }
}
