/** Why the browser did not do what it was asked, and what to do, in words for the model. */
export class BrowserError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BrowserError";
  }
}
