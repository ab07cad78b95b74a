import JSON5 from "json5";
import type { z } from "zod";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { checkConfig, faultLines } from "./faults.ts";

/**
 * Reads a configuration document (JSON5) against its schema.
 * @param text undefined or empty means all defaults
 * @throws IsopodError `not_configured` that names every field that is wrong
 */
export function loadConfig<Schema extends z.ZodType>(schema: Schema, text: string | undefined): z.output<Schema> {
  const checked = checkConfig(schema, parseDocument(text));
  if (checked.kind === "valid") return checked.config;
  throw new IsopodError("not_configured", `The configuration is not valid:\n${faultLines(checked.faults)}`, FIX);
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
