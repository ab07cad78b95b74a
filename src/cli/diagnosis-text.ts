import type { Check, Diagnosis } from "../client/wire.ts";
import { oneLine } from "./terminal-text.ts";

const MARKS: Readonly<Record<Check["status"], string>> = { ok: "✓", warn: "!", fail: "✗" };

/** The doctor's checks for a terminal: one line each, the fix below it, and the counts at the end. */
export function diagnosisText({ checks }: Diagnosis, onlyProblems: boolean): string {
  const shown = onlyProblems ? checks.filter(({ status }) => status !== "ok") : checks;
  const width = Math.max(0, ...shown.map(({ area }) => area.length));
  const lines = shown.flatMap(({ status, area, message, fix }) => [
    `${MARKS[status]} ${area.padEnd(width)}  ${oneLine(message)}`,
    ...(fix === undefined ? [] : [`${" ".repeat(width + 4)}→ ${oneLine(fix)}`]),
  ]);
  return [...lines, ...(lines.length > 0 ? [""] : []), summary(checks)].join("\n");
}

function summary(checks: readonly Check[]): string {
  const count = (status: Check["status"]) => checks.filter((check) => check.status === status).length;
  const warnings = count("warn");
  return `${count("ok")} ok, ${warnings} ${warnings === 1 ? "warning" : "warnings"}, ${count("fail")} failed.`;
}
