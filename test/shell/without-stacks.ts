import { afterAll, beforeAll } from "vitest";

/**
 * Has the errors of a test file carry no stacks: the test runner looks each line of a stack up in the source, and
 * just-bash makes errors that nobody sees, several for each program.
 */
export function withoutStacks(): void {
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    Error.stackTraceLimit = 0;
  });
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}
