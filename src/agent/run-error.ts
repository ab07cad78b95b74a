import type { ModelError } from "../models/message.ts";

/** Why a run failed. */
export interface RunError {
  code:
    | "model_error"
    | "not_configured"
    | "aborted"
    | "timeout"
    | "crash_loop"
    | "dropped"
    | "budget"
    | "loop"
    | "cancelled"
    | "internal";
  message: string;
  /** Set where the model's provider refused the request for its rate or its length, which the caller can act on. */
  refusal?: { kind: "rate_limit" | "overflow"; retryAfterMs?: number };
}

/** The part of a model's error that the caller of a run can act on. */
export function refusalOf({ kind, retryAfterMs }: ModelError): Pick<RunError, "refusal"> {
  if (kind !== "rate_limit" && kind !== "overflow") return {};
  return { refusal: { kind, ...(retryAfterMs !== undefined && { retryAfterMs }) } };
}

/** Thrown if a run must end. It is not caught for a retry; what was stored stays. */
export class FatalRunError extends Error {
  readonly code: RunError["code"];

  constructor(code: RunError["code"], message: string) {
    super(message);
    this.name = "FatalRunError";
    this.code = code;
  }
}
