import { z } from "@hono/zod-openapi";
import type { ListCursor } from "../db/list-cursor.ts";

/**
 * A whole number in a query, in decimal digits only: other texts that JavaScript reads as numbers, such as `0x10`,
 * `1e2` or an empty one, are refused.
 */
export function wholeNumber({ min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number }) {
  return z
    .string()
    .regex(/^\d{1,15}$/, "write a whole number in decimal digits")
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .openapi({ type: "integer", minimum: min, maximum: max });
}

/** The query of a page of a list that has the latest first. */
export const listQuery = {
  limit: wholeNumber({ min: 1, max: 200 }).default(50),
  before: z
    .string()
    .regex(/^\d{1,15}:.{1,600}$/s, "use the `before` of the last page")
    .transform(readCursor)
    .optional()
    .openapi({ type: "string", description: "Go on from the `before` of the last page." }),
};

function readCursor(text: string): ListCursor {
  const colon = text.indexOf(":");
  return { at: Number(text.slice(0, colon)), key: text.slice(colon + 1) };
}

/** The `before` of the next page; absent where this page was not full. */
export function nextPage<Row>(rows: readonly Row[], limit: number, rowCursor: (row: Row) => ListCursor) {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  if (last === undefined) return {};
  const { at, key } = rowCursor(last);
  return { before: `${at}:${key}` };
}
