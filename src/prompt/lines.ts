/** Joins the lines that are there: what is undefined or false is left out. */
export function lines(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== false).join("\n");
}
