import { ApiError } from "../client/http.ts";

/** An error that the person at the terminal can fix: its message says what is wrong and what to do. */
export class Problem extends Error {}

/**
 * Runs a command. A `Problem`, or an option that it does not have, prints its message and sets exit code 1; only
 * unexpected errors print a stack.
 */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    const isExpected = error instanceof Problem || error instanceof ApiError;
    console.error(isExpected ? explain(error) : (wrongOption(error) ?? error));
    process.exitCode = 1;
  }
}

/** What is wrong with the options, in a line; undefined for any other error. */
function wrongOption(error: unknown): string | undefined {
  if (!(error instanceof Error && "code" in error)) return undefined;
  if (!String(error.code).startsWith("ERR_PARSE_ARGS_")) return undefined;
  const [what = ""] = error.message.split(/\. |\n/);
  return `${what.replace(/\.$/, "")}. --help shows the options.`;
}

/** The message of an error, and its hint on a line of its own. */
export function explain(error: Error): string {
  return error instanceof ApiError && error.hint !== undefined ? `${error.message}\n${error.hint}` : error.message;
}
