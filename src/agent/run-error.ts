/** Why a run did not end well. */
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

/**
 * Thrown where a run may not go on, with why. Nobody on the way catches it to try again: it ends the run with this
 * error, and what was stored by then stays.
 */
export class FatalRunError extends Error {
  readonly code: RunError["code"];

  constructor(code: RunError["code"], message: string) {
    super(message);
    this.name = "MustEnd";
    this.code = code;
  }
}
