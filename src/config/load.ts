import JSON5 from "json5";
import { z } from "zod";
import { IsopodError, messageOf } from "../lib/errors.ts";

/**
 * Reads a configuration document (JSON5) against its schema.
 * @param text undefined or empty means all defaults
 * @throws IsopodError `not_configured` that names every field that is wrong
 */
export function loadConfig<Schema extends z.ZodType>(schema: Schema, text: string | undefined): z.output<Schema> {
  const parsed = schema.safeParse(parseDocument(text));
  if (parsed.success) return parsed.data;
  throw new IsopodError("not_configured", `The configuration is not valid:\n${z.prettifyError(parsed.error)}`, FIX);
}

const FIX = "Correct the variable ISOPOD_CONFIG; until then nothing runs.";

function parseDocument(text: string | undefined): unknown {
  if (text === undefined || text.trim() === "") return {};
  try {
    return JSON5.parse(text);
  } catch (error) {
    throw new IsopodError("not_configured", `The configuration is not JSON5: ${messageOf(error)}`, FIX);
  }
}
