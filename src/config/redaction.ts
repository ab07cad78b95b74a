import { IsopodError } from "../lib/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { valueAt } from "./document.ts";
import { fieldPath } from "./field-path.ts";
import { isSecretName, looksSecret } from "./secret-ref.ts";

/** Replaces a hidden value. */
export const REDACTED = "[redacted]";

type Path = readonly (string | number)[];

/**
 * A document for a model or a caller. References to secrets stay; texts of headers, texts in place of a secret, and
 * texts that look like one, such as addresses with a login, are replaced.
 */
export function redacted(document: JsonObject): JsonObject {
  const hide = (text: string, path: Path) => (isSecret(text, path) ? REDACTED : text);
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, mapTexts(value, [name], hide)]));
}

/**
 * Puts the hidden values of the old document back into one that was made from its redacted form.
 * @throws IsopodError `invalid_request` that names a field where nothing was hidden
 */
export function restored(document: Json, before: JsonObject): Json {
  return mapTexts(document, [], (text, path) => {
    if (text !== REDACTED) return text;
    const hidden = valueAt(before, path.map(String));
    if (typeof hidden === "string") return hidden;
    const field = fieldPath(path);
    const message = `${field}: '${REDACTED}' stands for a value that does not exist; leave the field out.`;
    throw new IsopodError("invalid_request", message);
  });
}

function isSecret(text: string, path: Path): boolean {
  const name = String(path.findLast((step) => typeof step === "string"));
  return path.at(-2) === "headers" || isSecretName(name) || looksSecret(text);
}

function mapTexts(value: Json, path: Path, change: (text: string, path: Path) => string): Json {
  if (typeof value === "string") return change(value, path);
  if (Array.isArray(value)) return value.map((inner, at) => mapTexts(inner, [...path, at], change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, [...path, name], change)]),
  );
}
