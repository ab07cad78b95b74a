import { isSilence, mayBeSilence } from "../client/silence.ts";
import type { AgentEvent, AssistantMessage, ToolCallPart } from "../client/wire.ts";
import { oneLine } from "./terminal-text.ts";

/**
 * Writes a run's events down for a terminal, where nothing can be taken back: gives, for one event after another, the
 * text to write. Without `styled` there are no escape sequences in it.
 */
export function createPrinter(styled: boolean): (event: AgentEvent) => string {
  const dim = (text: string) => (styled ? `\x1b[2m${text}\x1b[22m` : text);
  const red = (text: string) => (styled ? `\x1b[31m${text}\x1b[39m` : text);
  const announced = new Set<string>();
  /** Text of the current message that was heard, and as much of it as is written already. */
  let heard = "";
  let written = "";
  /** Whether the cursor is at the beginning of a line. */
  let atStart = true;

  function newLine(): string {
    const end = atStart ? "" : "\n";
    atStart = true;
    return end;
  }
  function line(text: string): string {
    return `${newLine()}${text}\n`;
  }
  function more(text: string): string {
    if (text !== "") atStart = text.endsWith("\n");
    return text;
  }
  /** The rest of a message whose beginning was heard; all of it where what was heard is something else. */
  function finish(message: Pick<AssistantMessage, "parts">): string {
    const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    const begun = written;
    heard = "";
    written = "";
    if (isSilence(text)) return newLine();
    if (text.startsWith(begun)) return more(text.slice(begun.length)) + newLine();
    return line(dim("(said anew)")) + more(text) + newLine();
  }
  function announce(callId: string, tool: string, args: ToolCallPart["args"] | undefined): string {
    if (announced.has(callId)) return "";
    announced.add(callId);
    const gist = Object.values(args ?? {}).find((value) => typeof value === "string");
    return line(dim(`· ${tool}${typeof gist === "string" ? ` ${shortLine(gist)}` : ""}`));
  }

  function speech(event: Extract<AgentEvent, { type: "assistant" }>): string {
    if (event.phase === "message") return finish(event.message);
    if (event.phase === "delta") {
      if (!("text" in event)) return "";
      heard += event.text;
      if (written === "" && mayBeSilence(heard)) return "";
      const news = heard.slice(written.length);
      written = heard;
      return more(news);
    }
    heard = "";
    if (written === "") return "";
    written = "";
    return line(dim("(interrupted; asking again)"));
  }
  function work(event: Extract<AgentEvent, { type: "tool" }>): string {
    if (event.phase === "start") return announce(event.callId, event.tool, event.args);
    if (event.phase === "update") return "";
    const { callId, tool, isError, text } = event.message;
    return announce(callId, tool, undefined) + (isError ? line(dim(`  failed: ${shortLine(text)}`)) : "");
  }

  return (event) => {
    switch (event.type) {
      case "lifecycle":
        return event.phase === "error" ? line(red(`✗ ${event.error.message}`)) : "";
      case "assistant":
        return speech(event);
      case "tool":
        return work(event);
      case "queue":
        if (event.phase === "waiting") return line(dim("(waits for its turn)"));
        return event.phase === "dropped" ? line(red(`✗ ${event.reason}`)) : "";
      case "approval":
        return event.phase === "requested" ? line(dim(`? ${shortLine(event.question)} (answer on the chat page)`)) : "";
      default:
        return "";
    }
  };
}

function shortLine(text: string): string {
  const flat = oneLine(text).replace(/\s+/g, " ");
  return flat.length > 100 ? `${flat.slice(0, 99)}…` : flat;
}
