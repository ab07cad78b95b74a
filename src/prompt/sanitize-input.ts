import { sanitizeForPrompt, sanitizeLinesForPrompt } from "../security/sanitize.ts";
import type { PromptInput } from "./input.ts";

/**
 * The input as sections see it. Every string in it is cleaned to one line, also one that a field added later brings;
 * the exceptions are named here: texts of several lines keep their lines, and a file's content stays as it is.
 */
export function sanitizeInput(input: PromptInput): PromptInput {
  const { bootstrapFiles, agentsRefresh, skillsPrompt, extraContext, provider, ...rest } = input;
  return {
    ...mapStrings(rest, sanitizeForPrompt),
    provider: mapStrings(provider, sanitizeLinesForPrompt),
    bootstrapFiles: bootstrapFiles.map((file) => ({ ...file, path: sanitizeForPrompt(file.path) })),
    ...(agentsRefresh !== undefined && { agentsRefresh }),
    ...(skillsPrompt !== undefined && { skillsPrompt: sanitizeLinesForPrompt(skillsPrompt) }),
    ...(extraContext !== undefined && { extraContext: sanitizeLinesForPrompt(extraContext) }),
  };
}

/** A copy of plain data in which every string is changed. */
function mapStrings<T>(data: T, change: (text: string) => string): T;
function mapStrings(data: unknown, change: (text: string) => string): unknown {
  if (typeof data === "string") return change(data);
  if (Array.isArray(data)) return data.map((item) => mapStrings(item, change));
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, mapStrings(value, change)]));
}
