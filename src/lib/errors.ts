/** The codes an Isopod error can carry; HTTP maps each to one status. */
export type ErrorCode =
  | "invalid_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "gone"
  | "precondition_failed"
  | "precondition_required"
  | "payload_too_large"
  | "range_not_satisfiable"
  | "upgrade_required"
  | "unsupported_media_type"
  | "rate_limited"
  | "not_configured"
  | "unavailable"
  | "internal";

/** Machine-readable details of an error beside its code. */
export interface ErrorDetails {
  /** `gone`: the oldest event number from which the log is complete. */
  oldestCursor?: number;
  /** The object that the session has moved to; its caller goes on there. */
  movedTo?: string;
  /** The invalid field of the request. */
  param?: string;
  /** A finer code, where a protocol has one. */
  reason?: string;
  /** How long to wait before another try, in milliseconds. */
  retryAfterMs?: number;
  /** The invalid fields of a configuration. */
  faults?: readonly { path: string; message: string }[];
  /** The current revision, where a change was based on another. */
  currentRevision?: number;
}

/** An error for people: what is wrong, and in `hint` what to do about it. */
export class IsopodError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, hint?: string, details: ErrorDetails = {}) {
    super(message);
    this.name = "IsopodError";
    this.code = code;
    this.hint = hint;
    this.details = details;
  }
}

/**
 * The message of anything that was thrown. An error that carries `params` beside its cause repeats those values in its
 * own message (a failed statement, with texts of users); its cause says what went wrong without them.
 */
export function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return "params" in thrown && thrown.cause !== undefined ? messageOf(thrown.cause) : thrown.message;
}
