import { type ErrorCode, type ErrorDetails, IsopodError } from "./errors.ts";

/** An `IsopodError` as a value: an error thrown across objects arrives without its class and fields. */
export interface Refusal {
  refused: { code: ErrorCode; message: string; hint: string | undefined; details: ErrorDetails };
}

/** Runs `work` and returns an `IsopodError` as a refusal. Throws other errors. */
export function orRefusal<Result>(work: () => Result): Result | Refusal {
  try {
    return work();
  } catch (thrown) {
    return toRefusal(thrown);
  }
}

/** The same for asynchronous work. Rejects with other errors. */
export async function orRefusalLater<Result>(work: () => Promise<Result>): Promise<Result | Refusal> {
  return work().catch(toRefusal);
}

function toRefusal(thrown: unknown): Refusal {
  if (!(thrown instanceof IsopodError)) throw thrown;
  const { code, message, hint, details } = thrown;
  return { refused: { code, message, hint, details } };
}

/** Whether an answer is a refusal. */
export function isRefusal<Result>(answer: Result | Refusal): answer is Refusal {
  return typeof answer === "object" && answer !== null && "refused" in answer;
}
