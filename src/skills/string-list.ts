/** Whether a value has fields, a list being one. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A list of texts as authors write one: a list, whose entries are made texts, or one text with commas. Blank ones are left out. */
export function stringList(raw: unknown): string[] {
  const entries = Array.isArray(raw) ? raw.map(textOf) : typeof raw === "string" ? raw.split(",") : [];
  return entries.map((entry) => entry.trim()).filter((entry) => entry !== "");
}

/** A text without the space around it; undefined where that is all, or where the value is no text. */
export function trimmed(raw: unknown): string | undefined {
  const text = typeof raw === "string" ? raw.trim() : "";
  return text === "" ? undefined : text;
}

function textOf(entry: unknown): string {
  try {
    return String(entry);
  } catch (thrown) {
    // A mapping with a field `toString`, or lists in lists deeper than the stack: none has a text.
    if (thrown instanceof TypeError || thrown instanceof RangeError) return "[object Object]";
    throw thrown;
  }
}
