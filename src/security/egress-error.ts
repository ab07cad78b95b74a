/** Why an outgoing request failed. */
export type EgressCode =
  /** The address, method or header is invalid. */
  | "bad_request"
  /** The destination is not allowed. */
  | "refused"
  /** The name does not resolve. */
  | "unresolved"
  | "too_many_redirects"
  | "too_large"
  | "timed_out"
  /** No answer, or a broken connection. */
  | "unreachable";

/** The failure of a guarded request. It names hosts, never paths, queries or headers, which may hold secrets. */
export class EgressError extends Error {
  readonly code: EgressCode;
  /** How to fix it. */
  readonly hint: string;

  constructor(code: EgressCode, message: string, hint: string) {
    super(message);
    this.name = "EgressError";
    this.code = code;
    this.hint = hint;
  }
}
