import { IsopodError } from "../lib/errors.ts";
import { byteLength } from "../lib/text.ts";

/**
 * Most bytes that one statement may store. A row of an object's database holds 2 MB at most; what is not counted here,
 * such as a row's other columns, is small.
 */
export const MAX_ROW_BYTES = 1_900_000;
/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * The last guard: whatever makes rows keeps them far smaller.
 * @throws IsopodError `payload_too_large` where these values would not fit into a row; nothing is stored then
 */
export function refuseLargeRow(values: readonly unknown[]): void {
  const texts = values.filter((value) => typeof value === "string");
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  if (units * MOST_BYTES_PER_UNIT <= MAX_ROW_BYTES) return;
  const bytes = texts.reduce((sum, text) => sum + byteLength(text), 0);
  if (bytes <= MAX_ROW_BYTES) return;
  throw new IsopodError("payload_too_large", `${bytes} bytes do not fit into one row of a session's database.`);
}
