import { type LocalServer, listen } from "../../fakes/listen.ts";
import { render } from "../../fakes/model-script.ts";
import { type ChatMessage, messageText, requestText } from "../chat-request.ts";

/** What a model does in its next turn: it calls these tools, one after the other, and answers. */
export interface Turn {
  calls: readonly { tool: string; args: object }[];
  /**
   * `$ALL` is all that the tools gave. In it and in arguments `{{…}}` is the first group that they, or else the system
   * prompt, have of a pattern; where neither has it, the request fails.
   */
  answer: string;
}

/** A provider with Chat Completions whose models play a turn that is set beforehand. */
export class ScriptedModel {
  readonly #turns = new Map<string, Turn>();
  #server: LocalServer | undefined;
  #serial = 0;

  static async start(): Promise<ScriptedModel> {
    const model = new ScriptedModel();
    model.#server = await listen((request, response) => {
      requestText(request)
        .then((body) => {
          const reply = model.#next(JSON.parse(body));
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.end(render("completions", reply, model.#serial++).join(""));
        })
        .catch(({ message }: Error) => {
          response.writeHead(400, { "content-type": "application/json" });
          response.end(JSON.stringify({ error: { message } }));
        });
    });
    return model;
  }

  get url(): string {
    return this.#server?.url ?? "";
  }

  /** Sets what a model does in every turn from now on. */
  setTurn(model: string, turn: Turn): void {
    this.#turns.set(model, turn);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  #next({ model, messages }: { model: string; messages: ChatMessage[] }) {
    const turn = this.#turns.get(model) ?? { calls: [], answer: "There is no turn for this model." };
    const since = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
    const results = since.filter(({ role }) => role === "tool").map(messageText);
    const call = turn.calls[results.length];
    const prompt = messages.filter(({ role }) => role === "system").map(messageText);
    if (call === undefined) return { text: inserted(turn.answer, results, prompt) };
    return { calls: [{ name: call.tool, args: JSON.parse(inserted(JSON.stringify(call.args), results, prompt)) }] };
  }
}

/** @throws Error where nothing matches a pattern */
function inserted(text: string, results: readonly string[], prompt: readonly string[]): string {
  const all = results.join("\n");
  return text
    .replace(/\{\{(.+?)\}\}/g, (_, source) => {
      const pattern = new RegExp(source);
      const [, found] = pattern.exec(all) ?? pattern.exec(prompt.join("\n")) ?? [];
      if (found === undefined) throw new Error(`Nothing matches ${source}.`);
      return found;
    })
    .replaceAll("$ALL", () => all);
}
