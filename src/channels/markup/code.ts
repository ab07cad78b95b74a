import { ZERO_WIDTH_SPACE } from "./invisible.ts";

/** Breaks fences in code, for platforms that end a block at the first three backticks. */
export function breakFences(code: string): string {
  return code.replaceAll("```", `\`\`${ZERO_WIDTH_SPACE}\``);
}

/** Code with its backticks, but not backticks that are joined to a word. */
const CODE = /((?<!\u2060)```[\s\S]*?```|(?<!\u2060)`[^`\n]+`)/;

/** Splits a message in which code is in one or three backticks: at odd places is code. */
export function splitCode(part: string): string[] {
  return part.split(CODE);
}

/** Removes the backticks around code, and the name of its language. */
export function withoutTicks(code: string): string {
  return code.replace(/^```[\w+#.-]*\n?|^`|\n?`+$/g, "");
}
