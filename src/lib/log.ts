type Loggable = string | number | boolean | null | undefined;

/** Field names that a log event may not have, because their values must never be logged. */
type Unspeakable = "secret" | "token" | "prompt" | "body" | "password" | "authorization";

/** The fields of one log event: flat, and without the forbidden names. */
export type LogFields = Record<string, Loggable> & { [name in Unspeakable]?: never };

/** Writes one event as a line of JSON, the form that Workers Logs indexes. */
export function log(level: "debug" | "info" | "warn" | "error", event: string, fields: LogFields = {}): void {
  console[level](JSON.stringify({ event, ...fields }));
}
