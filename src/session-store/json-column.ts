import { customType } from "drizzle-orm/sqlite-core";

/**
 * A column of JSON. What is no JSON, or not of the shape, is read as undefined: one damaged row must not stop the
 * session that it is in, and who reads it has to say what is done instead.
 */
export function json<Value>(name: string, isValue: (value: unknown) => value is Value) {
  return customType<{ data: Value | undefined; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => JSON.stringify(value),
    fromDriver(text) {
      const value = parsed(text);
      return isValue(value) ? value : undefined;
    },
  })(name);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
