import type { JsonObject } from "../lib/json.ts";
import { head } from "../lib/text.ts";
import type { ToolCallPart, ToolMessage } from "../models/message.ts";

/** The most characters shown of an argument and of a result. */
const MAX_ARGUMENT_CHARS = 80;
const MAX_RESULT_CHARS = 600;

/** The arguments that best describe a call, the best first. */
const MAIN_ARGUMENTS = ["path", "command", "query", "url", "to", "action", "task", "name", "text"];

/** A tool call as one line of Markdown: the tool and its main argument. */
export function callLine({ tool, args }: Pick<ToolCallPart, "tool" | "args">): string {
  const gist = mainArgument(args);
  return `🔧 ${tool}${gist === undefined ? "" : ` ${inCode(gist)}`}`;
}

/** The result of a call as Markdown: the tool and the beginning of its text. */
export function resultText({ tool, text, isError }: Pick<ToolMessage, "tool" | "text" | "isError">): string {
  const whole = text.trim();
  const kept = head(whole, MAX_RESULT_CHARS);
  const shown = kept.length < whole.length ? `${kept}…` : kept;
  const marks = "`".repeat(Math.max(3, longestRun(shown) + 1));
  const title = `🔧 ${tool}${isError ? " failed" : ""}`;
  return shown === "" ? `${title}: no output` : `${title}:\n\n${marks}\n${shown}\n${marks}`;
}

function mainArgument(args: JsonObject): string | undefined {
  const values = [...MAIN_ARGUMENTS.map((name) => args[name]), ...Object.values(args)];
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
