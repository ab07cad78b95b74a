import { isSilence, mayBeSilence } from "../client/silence.ts";
import type { AgentEvent, AssistantMessage, ToolCallPart } from "../client/wire.ts";
import { oneLine } from "./terminal-text.ts";

/**
 * Formats a run's events for a terminal, which cannot erase what it has printed: the returned function gives the text
 * to write for each event in order. Without `styled` the text has no escape sequences.
 */
export function createPrinter(styled: boolean): (event: AgentEvent) => string {
  const dim = (text: string) => (styled ? `\x1b[2m${text}\x1b[22m` : text);
  const red = (text: string) => (styled ? `\x1b[31m${text}\x1b[39m` : text);
  const announced = new Set<string>();
  /** The text of the current message so far, and the part of it that is printed. */
  let received = "";
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
  /** The rest of a message after its deltas; the whole message where the deltas were different. */
  function finish(message: Pick<AssistantMessage, "parts">): string {
    const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    const begun = written;
    received = "";
    written = "";
    if (isSilence(text)) return newLine();
    if (text.startsWith(begun)) return more(text.slice(begun.length)) + newLine();
    return line(dim("(replaces the text above)")) + more(text) + newLine();
  }
  function announce(callId: string, tool: string, args: ToolCallPart["args"] | undefined): string {
    if (announced.has(callId)) return "";
    announced.add(callId);
    const gist = Object.values(args ?? {}).find((value) => typeof value === "string");
    return line(dim(`· ${tool}${typeof gist === "string" ? ` ${shortLine(gist)}` : ""}`));
  }

  function assistantText(event: Extract<AgentEvent, { type: "assistant" }>): string {
    if (event.phase === "message") return finish(event.message);
    if (event.phase === "delta") {
      if (!("text" in event)) return "";
      received += event.text;
      if (written === "" && mayBeSilence(received)) return "";
      const news = received.slice(written.length);
      written = received;
      return more(news);
    }
    received = "";
    if (written === "") return "";
    written = "";
    return line(dim("(interrupted; trying again)"));
  }
  function toolText(event: Extract<AgentEvent, { type: "tool" }>): string {
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
        return assistantText(event);
      case "tool":
        return toolText(event);
      case "queue":
        if (event.phase === "waiting") return line(dim("(queued)"));
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
