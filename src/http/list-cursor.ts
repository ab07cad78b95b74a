import { z } from "@hono/zod-openapi";
import { and, type Column, eq, lt, or, type SQL } from "drizzle-orm";
import { wholeNumber } from "./whole-number.ts";

/** Where a list goes on: an instant in milliseconds, and a key among what shares it. */
export interface ListCursor {
  at: number;
  key: string;
}

/** A page of a list that has the latest first. */
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

/** The rows that come after a cursor in a list that has the latest first, and among equals the greatest key. */
export function listedAfter(at: Column, key: Column, cursor: ListCursor | undefined): SQL | undefined {
  return cursor && or(lt(at, cursor.at), and(eq(at, cursor.at), lt(key, cursor.key)));
}

/** What to ask for next: absent where the page was not full. */
export function nextPage<Row>(rows: readonly Row[], limit: number, cursorOf: (row: Row) => ListCursor) {
  const last = rows.length === limit ? rows.at(-1) : undefined;
  if (last === undefined) return {};
  const { at, key } = cursorOf(last);
  return { before: `${at}:${key}` };
}
