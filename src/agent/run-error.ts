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
