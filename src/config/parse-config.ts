import JSON5 from "json5";
import { IsopodError, messageOf } from "../lib/errors.ts";
import { isJsonObject, type Json } from "../lib/json.ts";

/** How deep a document may be nested: everything that walks through it may do so by recursion. */
const MAX_DEPTH = 64;

/**
 * Reads a document, JSON or JSON5; nothing at all means an empty one. Gives what JSON can say of it.
 * @throws IsopodError `invalid_request`
 */
export function parseConfig(text: string | undefined): Json {
  if (text === undefined || text.trim() === "") return {};
  const document = parseText(text);
  if (isDeeper(document, MAX_DEPTH)) {
    throw new IsopodError("invalid_request", `The configuration is nested deeper than ${MAX_DEPTH} levels.`);
  }
  return document;
}

/** JSON5 has everything that JSON has, but takes many times as long to read. */
function parseText(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return parseJson5(text);
  }
}

function parseJson5(text: string): Json {
  try {
    return JSON.parse(JSON.stringify(JSON5.parse(text)));
  } catch (error) {
    throw new IsopodError("invalid_request", `The configuration is not JSON5: ${messageOf(error)}`);
  }
}

function isDeeper(value: Json, levels: number): boolean {
  if (levels < 0) return true;
  if (Array.isArray(value)) return value.some((inner) => isDeeper(inner, levels - 1));
  return isJsonObject(value) && Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
