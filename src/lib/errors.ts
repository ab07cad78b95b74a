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
  | "payload_too_large"
  | "range_not_satisfiable"
  | "upgrade_required"
  | "unsupported_media_type"
  | "rate_limited"
  | "not_configured"
  | "unavailable"
  | "internal";

/** An error that a person is meant to read: what is wrong, and in `hint` what to do about it. */
export class IsopodError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, hint?: string) {
    super(message);
    this.name = "IsopodError";
    this.code = code;
    this.hint = hint;
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
