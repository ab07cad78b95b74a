/** What went wrong at first: drizzle's own errors tell the statement and its parameters, which are nobody's business. */
export function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}
