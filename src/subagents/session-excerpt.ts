import { head } from "../lib/text.ts";
import { isForPeople, messageText } from "../models/message.ts";
import { messageLabels } from "../models/view-labels.ts";
import { fromOutside } from "../security/from-outside.ts";
import { joinLabels, type Label } from "../security/labels.ts";
import type { CallSession } from "../services/call-session.ts";
import { newFenceId } from "../services/new-fence-id.ts";
import type { HistoryMessage } from "../session-store/transcript.ts";
import type { HistoryLine, SessionHistory } from "../tools/sessions-port.ts";
import { findSubagent, listedSubagents } from "./find-subagent.ts";
import type { PeerSession, SubagentsDeps } from "./subagents-deps.ts";

/** Messages that are read at a time, and most pages: tool output may fill many. */
const PAGE = 100;
const MAX_PAGES = 5;

/** Most lines and characters of a sub-agent's log. */
const LOG_LINES = 15;
const LOG_CHARS = 6000;

export interface ExcerptRequest {
  /** How many messages. */
  limit: number;
  includeTools: boolean;
  /** Most characters of all messages together. */
  chars: number;
}

/** The last messages of a session for another session's agent; undefined where there is no session. */
export async function readExcerpt(
  sessionKey: string,
  { limit, includeTools, chars }: ExcerptRequest,
  call: CallSession<PeerSession>,
): Promise<SessionHistory | undefined> {
  let lines: UntruncatedLine[] = [];
  let labels: readonly Label[] = [];
  let before: number | undefined;
  for (let page = 0; page < MAX_PAGES && lines.length <= limit; page++) {
    const read = await call(sessionKey, (session) => session.history(PAGE, before));
    if (read === undefined) return undefined;
    lines = [...read.messages.flatMap((message) => excerptLines(message, includeTools)), ...lines];
    labels = joinLabels(labels, ...read.messages.map(messageLabels));
    before = read.before;
    if (before === undefined) break;
  }
  const shown = lines.slice(-limit);
  const each = Math.floor(chars / Math.max(1, shown.length));
  return {
    messages: shown.map((line) => boundedLine(line, each)),
    hasMore: before !== undefined || lines.length > limit,
    ...(labels.length > 0 && { labels }),
  };
}

/**
 * The last messages of the sub-agent that a text names.
 * @throws IsopodError where none matches
 */
export async function readLog(which: string, { store, call }: SubagentsDeps) {
  const { sessionKey, label } = findSubagent(listedSubagents(store), which);
  const excerpt = await readExcerpt(sessionKey, { limit: LOG_LINES, includeTools: true, chars: LOG_CHARS }, call);
  return { label, messages: excerpt?.messages ?? [] };
}

/** A line before it is truncated. */
interface UntruncatedLine extends HistoryLine {
  /** Whether it is external content: its sender is no owner. */
  isExternal?: boolean;
}

function excerptLines(message: HistoryMessage, includeTools: boolean): UntruncatedLine[] {
  const { at } = message;
  if (message.aside || !isForPeople(message)) return [];
  switch (message.role) {
    case "user":
      return [{ role: "user", at, text: message.text, isExternal: message.sender?.owner === false }];
    case "tool":
      return includeTools ? [{ role: "tool", at, tool: message.tool, text: message.text }] : [];
    case "assistant": {
      const text = messageText(message).trim();
      const calls = includeTools ? message.parts.filter((part) => part.type === "tool-call") : [];
      return [
        ...(text === "" ? [] : [{ role: "assistant" as const, at, text }]),
        ...calls.map(({ tool, args }) => ({ role: "assistant" as const, at, tool, text: JSON.stringify(args) })),
      ];
    }
  }
}

/** Cuts a line, and then fences external content, because the fence has to stay whole. */
function boundedLine({ isExternal, ...line }: UntruncatedLine, chars: number): HistoryLine {
  const shown = cut(line, chars);
  return isExternal ? { ...shown, text: fenced(shown.text) } : shown;
}

function fenced(text: string): string {
  const port = { newFenceId, suspect: () => undefined, onInjection: "log" } as const;
  return fromOutside({ text, source: "unknown", labels: [] }, port).text;
}

function cut(line: HistoryLine, chars: number): HistoryLine {
  if (line.text.length <= chars) return line;
  const kept = head(line.text, chars);
  return {
    ...line,
    text: `${kept}\n[${line.text.length - kept.length} more characters. Ask for fewer messages to see more.]`,
  };
}
