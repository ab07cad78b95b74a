import { ApiError } from "../client/http.ts";

/** Something that the person at the terminal can mend: its message says what is wrong and what to do. */
export class Problem extends Error {}

/** Runs a command. A problem becomes its message and exit code 1; only what nobody expected shows a stack. */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Problem || error instanceof ApiError ? explain(error) : error);
    process.exitCode = 1;
  }
}

/** What is wrong, and on a line of its own what to do about it. */
export function explain(error: Error): string {
  return error instanceof ApiError && error.hint !== undefined ? `${error.message}\n${error.hint}` : error.message;
}
