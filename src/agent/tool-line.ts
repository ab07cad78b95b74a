import type { JsonObject } from "../lib/json.ts";
import { head } from "../lib/text.ts";
import type { ToolCallPart, ToolMessage } from "../models/message.ts";

/** Most characters of an argument, and of a result, that people are told. */
const MAX_ARGUMENT_CHARS = 80;
const MAX_RESULT_CHARS = 600;

/** The arguments that say most of what a call is about, the most telling first. */
const TELLING = ["path", "command", "query", "url", "to", "action", "task", "name", "text"];

/** A tool call in one line of Markdown: its tool, and what it is about. */
export function callLine({ tool, args }: Pick<ToolCallPart, "tool" | "args">): string {
  const gist = gistOf(args);
  return `🔧 ${tool}${gist === undefined ? "" : ` ${inCode(gist)}`}`;
}

/** What came of a call, as Markdown: its tool, and how the result begins. */
export function resultText({ tool, text, isError }: Pick<ToolMessage, "tool" | "text" | "isError">): string {
  const whole = text.trim();
  const kept = head(whole, MAX_RESULT_CHARS);
  const shown = kept.length < whole.length ? `${kept}…` : kept;
  const marks = "`".repeat(Math.max(3, longestRun(shown) + 1));
  const title = `🔧 ${tool}${isError ? " failed" : ""}`;
  return shown === "" ? `${title}: no output` : `${title}:\n\n${marks}\n${shown}\n${marks}`;
}

function gistOf(args: JsonObject): string | undefined {
  const values = [...TELLING.map((name) => args[name]), ...Object.values(args)];
  const gist = values.find((value) => typeof value === "string" && value.trim() !== "");
  if (typeof gist !== "string") return undefined;
  const line = gist.replace(/\s+/g, " ").trim();
  const kept = head(line, MAX_ARGUMENT_CHARS);
  return kept.length < line.length ? `${kept}…` : kept;
}

function inCode(text: string): string {
  const marks = "`".repeat(longestRun(text) + 1);
  const space = marks.length > 1 ? " " : "";
  return `${marks}${space}${text}${space}${marks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), (run) => run[0].length));
}
