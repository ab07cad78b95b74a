/**
 * What a text says of a failure: itself or, where it is JSON, the strings in it that describe an error and the codes
 * that it names. All else of a body may quote the request and proves nothing.
 */
export function providerMessage(text: string): string[] {
  const json = parsed(text);
  return json === undefined ? [text] : toldBy(json);
}

/** The sentence in a text that is meant for people. */
export function sentenceIn(text: string): string | undefined {
  const json = parsed(text);
  const sentence = json === undefined ? text.trim() : messageIn(json);
  return sentence === undefined || sentence === "" || sentence.startsWith("<") ? undefined : sentence;
}

/** The fields in which providers put a reason: `error_code`, `status_msg`, `__type`, or `raw` of one behind a gateway. */
const TELLING = /^(?:_*|\w+_)(?:message|msg|type|code|status|error|details?|reason|title|raw)$/i;

function toldBy(json: unknown): string[] {
  if (typeof json === "string") return providerMessage(json);
  if (typeof json === "number") return [`code: ${json}`];
  if (Array.isArray(json)) return json.flatMap(toldBy);
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) =>
    TELLING.test(key) || (typeof value === "object" && key !== "param") ? toldBy(value) : [],
  );
}

function messageIn(json: unknown): string | undefined {
  if (typeof json === "string") return json;
  if (Array.isArray(json)) return json.map(messageIn).find((message) => message !== undefined);
  if (typeof json !== "object" || json === null) return undefined;
  const fields = new Map(Object.entries(json));
  for (const key of ["error", "errors", "message", "detail", "details", "msg", "response"]) {
    const message = messageIn(fields.get(key));
    if (message !== undefined) return message;
  }
  const told = [...fields].find(([key, value]) => key.endsWith("_msg") && typeof value === "string");
  return told === undefined ? messageIn(fields.get("base_resp")) : messageIn(told[1]);
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
