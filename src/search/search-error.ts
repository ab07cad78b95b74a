/** Why a search gave nothing. It names the service, never the key, and never what the service says. */
export class SearchError extends Error {
  /** What to do. */
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = "SearchError";
    this.hint = hint;
  }
}
