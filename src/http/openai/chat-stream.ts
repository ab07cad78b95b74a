import { NO_USAGE, type StopReason, type ToolCallPart, type Usage } from "../../models/message.ts";
import type { ChatChunk, ChatCompletion, ChatToolCall, ChatUsage, FinishReason, ShownTool } from "./chat-schema.ts";
import { openAiProblem, runProblem } from "./errors.ts";
import type { StreamFormat } from "./follow-run.ts";
import { approvalPrompt, type RunUpdate } from "./run-updates.ts";

/** The fields that all chunks of an answer share, and which parts of it the caller asked for. */
export interface ChatFrame {
  id: string;
  /** Seconds since the epoch. */
  created: number;
  model: string;
  showsTools: boolean;
  includesUsage: boolean;
}

/** Turns a run's updates into chunks. The content is the text of all messages, with a blank line between them. */
export class ChatChunks {
  readonly #frame: ChatFrame;
  /** Whether a message has ended, so that the next text starts after a blank line. */
  #isBetweenMessages = false;
  #hasText = false;
  #stop: StopReason = "stop";
  #calls = false;

  constructor(frame: ChatFrame) {
    this.#frame = frame;
  }

  /** The first chunk, with the role. */
  first(): ChatChunk {
    return this.#chunk({ role: "assistant", content: "" });
  }

  /** The chunks of an update; a failure has none. */
  from(update: RunUpdate): ChatChunk[] {
    switch (update.kind) {
      case "text":
        return [this.#chunk({ content: this.#separated(update.text) })];
      case "message":
        this.#isBetweenMessages = this.#hasText;
        this.#stop = update.stop;
        return [];
      case "call":
        return this.#tool({ call_id: update.callId, tool: update.tool, arguments: update.args });
      case "result": {
        const { callId: call_id, tool, args, text: output, isError: is_error } = update;
        return this.#tool({ call_id, tool, arguments: args, output, is_error });
      }
      case "waits": {
        const content = this.#separated(approvalPrompt(update.approvals));
        return [this.#chunk({ content }), ...this.#end(update.usage)];
      }
      case "called": {
        this.#calls = true;
        const tool_calls = update.calls.map((call, index) => ({ index, ...clientCall(call) }));
        return [this.#chunk({ tool_calls })];
      }
      case "done":
        return this.#end(update.usage);
      default:
        return [];
    }
  }

  #separated(text: string): string {
    const isNext = this.#isBetweenMessages;
    this.#isBetweenMessages = false;
    this.#hasText = true;
    return isNext ? `\n\n${text}` : text;
  }

  #tool(tool: ShownTool): ChatChunk[] {
    return this.#frame.showsTools ? [{ ...this.#chunk({}), isopod: { tool } }] : [];
  }

  #end(usage: Usage): ChatChunk[] {
    const last = this.#chunk({}, this.#calls ? "tool_calls" : finishReason(this.#stop));
    return this.#frame.includesUsage ? [last, { ...last, choices: [], usage: chatUsage(usage) }] : [last];
  }

  #chunk(delta: ChatChunk["choices"][number]["delta"], finish: FinishReason | null = null): ChatChunk {
    const { id, created, model, includesUsage } = this.#frame;
    return {
      ...{ id, object: "chat.completion.chunk", created, model },
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(includesUsage && { usage: null }),
    };
  }
}

/** OpenAI's reason for the end of an answer. */
function finishReason(stop: StopReason): FinishReason {
  if (stop === "length") return stop;
  return stop === "refusal" ? "content_filter" : "stop";
}

function clientCall({ callId: id, tool: name, args }: ToolCallPart): ChatToolCall {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

function chatUsage({ input, output, cacheRead, reasoning }: Usage): ChatUsage {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** A streamed chat completion: chunks, then `[DONE]`. */
export function chatStreamFormat(frame: ChatFrame): StreamFormat {
  const chunks = new ChatChunks(frame);
  return {
    begin: () => dataLine(chunks.first()),
    update: (update) => {
      if (update.kind === "failed") return dataLine({ error: runProblem(update.error).error });
      return chunks.from(update).map(dataLine).join("");
    },
    failure: (thrown) => dataLine({ error: openAiProblem(thrown, "/v1/chat/completions").error }),
    end: () => "data: [DONE]\n\n",
  };
}

function dataLine(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** All updates of a run as one chat completion. */
export function chatCompletionFrom(frame: ChatFrame, updates: readonly RunUpdate[]): ChatCompletion {
  const stream = new ChatChunks({ ...frame, includesUsage: false });
  const chunks = updates.flatMap((update) => stream.from(update));
  const last = updates.at(-1);
  const content = chunks.map(chunkContent).join("");
  const tool_calls = updates.flatMap((update) => (update.kind === "called" ? update.calls.map(clientCall) : []));
  const hasCalls = tool_calls.length > 0;
  const { id, created, model, showsTools } = frame;
  return {
    ...{ id, object: "chat.completion", created, model },
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: hasCalls && content === "" ? null : content,
          refusal: null,
          ...(hasCalls && { tool_calls }),
        },
        logprobs: null,
        finish_reason: chunks.at(-1)?.choices[0]?.finish_reason ?? "stop",
      },
    ],
    usage: chatUsage(last !== undefined && "usage" in last ? last.usage : NO_USAGE),
    ...(showsTools && { isopod: { tools: finishedTools(chunks) } }),
  };
}

function chunkContent(chunk: ChatChunk): string {
  return chunk.choices[0]?.delta.content ?? "";
}

function finishedTools(chunks: readonly ChatChunk[]): ShownTool[] {
  return chunks.flatMap(({ isopod }) => (isopod?.tool.output === undefined ? [] : [isopod.tool]));
}
