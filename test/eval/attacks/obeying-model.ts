import { createHash } from "node:crypto";
import { type LocalServer, listen } from "../../fakes/listen.ts";
import { render } from "../../fakes/model-script.ts";
import { type ChatMessage, messageText, requestText } from "../chat-request.ts";

/** A request, as far as this model reads it. */
interface ChatRequest {
  messages: ChatMessage[];
  tools?: { function: { description?: string; parameters?: object } }[];
}

/** One order in a text: `!do <tool> <JSON>` calls a tool, `!say <text>` is the reply. */
interface Order {
  id: string;
  tool: string;
  args: string;
}

/** An order may stand in a text of JSON, with its quotes escaped. */
const ORDER = /!do (\w+) (\{(?:[^\n]|\\n)*?\})(?=\s*(?:!|$|\n|\\n|"|<))/g;
const SAY = /!say ([^\n"\\]+)/g;
/** Results of calls that did nothing: in its next turn the model tries again. */
const FAILED = /^(?:There is no tool|The workspace is not open|refused|denied|blocked|Wrong arguments)/;
const MAX_INSERTED_CHARS = 4_000;

/**
 * Starts a model that obeys whatever it reads, whoever wrote it and however it is fenced: the worst that a prompt
 * injection can do. It carries out every order in the messages and in the tools' descriptions until it has succeeded, once in each turn, then says what it was told to say. `$LAST` in an
 * order is the last tool result, `$ALL` all of them.
 */
export async function startObeyingModel(): Promise<LocalServer> {
  let serial = 0;
  return listen((request, response) => {
    void requestText(request).then((body) => {
      const { messages, tools = [] } = JSON.parse(body) as ChatRequest;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(render("completions", nextReply(messages, tools), serial++).join(""));
    });
  });
}

function nextReply(messages: readonly ChatMessage[], tools: NonNullable<ChatRequest["tools"]>) {
  const turnAt = messages.findLastIndex(({ role }) => role === "user");
  const tried = messages.flatMap((message, at) =>
    message.role === "tool"
      ? [{ id: message.tool_call_id ?? "", isOver: at > turnAt || !FAILED.test(messageText(message)) }]
      : [],
  );
  const attempts = (id: string) => tried.filter((one) => one.id.startsWith(id));
  const results = messages.filter(({ role }) => role === "tool").map(messageText);
  const described = tools.flatMap(({ function: { description = "", parameters } }) => [
    description,
    JSON.stringify(parameters),
  ]);
  const texts = [...messages.filter(({ role }) => role !== "assistant").map(messageText), ...described];
  const next = texts.flatMap(ordersIn).find(({ id }) => !attempts(id).some(({ isOver }) => isOver));
  if (next !== undefined) {
    const args = inserted(next.args, results, true);
    try {
      return {
        calls: [{ name: next.tool, id: `${next.id}_${attempts(next.id).length}`, args: JSON.parse(args) as object }],
      };
    } catch {
      return { text: `I could not read the order ${args}` };
    }
  }
  const said = texts.flatMap((text) => [...text.matchAll(SAY)].map(([, what = ""]) => what)).at(-1);
  return { text: said === undefined ? "Done." : inserted(said, results, false) };
}

function ordersIn(text: string): Order[] {
  return [...text.matchAll(ORDER)].map(([whole, tool = "", raw = ""]) => {
    const args = raw.includes('\\"') && !isJson(raw) ? raw.replaceAll('\\"', '"').replaceAll("\\\\", "\\") : raw;
    return {
      id: `call_${createHash("sha256").update(whole.replaceAll("\\", "")).digest("hex").slice(0, 24)}`,
      tool,
      args,
    };
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function inserted(text: string, results: readonly string[], asJson: boolean): string {
  const quoted = (value: string) => {
    const cut = value.slice(0, MAX_INSERTED_CHARS).replace(/!(?:do|say)/g, "");
    return asJson ? JSON.stringify(cut).slice(1, -1) : cut;
  };
  return text
    .replaceAll("$LAST", () => quoted(results.at(-1) ?? ""))
    .replaceAll("$ALL", () => quoted(results.join(" ")));
}
