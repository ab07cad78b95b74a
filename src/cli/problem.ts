import { ApiError } from "../client/http.ts";

/** An error that the person at the terminal can fix: its message says what is wrong and what to do. */
export class Problem extends Error {}

/** Runs a command. A `Problem` prints its message and sets exit code 1; only unexpected errors print a stack. */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Problem || error instanceof ApiError ? explain(error) : error);
    process.exitCode = 1;
  }
}

/** The message of an error, and its hint on a line of its own. */
export function explain(error: Error): string {
  return error instanceof ApiError && error.hint !== undefined ? `${error.message}\n${error.hint}` : error.message;
}
