import { z } from "@hono/zod-openapi";

/**
 * A whole number in a query, in decimal digits and nothing else: what JavaScript would also read as a number, such as
 * `0x10`, `1e2` or nothing at all, is a mistake of the caller's.
 */
export function wholeNumber({ min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number }) {
  return z
    .string()
    .regex(/^\d{1,15}$/, "write a whole number in decimal digits")
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .openapi({ type: "integer", minimum: min, maximum: max });
}
