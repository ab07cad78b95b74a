import type { StopReason, Usage } from "../../models/message.ts";
import type { ChatChunk, ChatUsage, FinishReason, ShownTool } from "./chat-schema.ts";
import type { Told } from "./telling.ts";
import { waitingText } from "./waiting.ts";

/** What the chunks of an answer have in common, and what its caller wants to see. */
export interface ChatFrame {
  id: string;
  /** Seconds since the epoch. */
  created: number;
  model: string;
  showsTools: boolean;
  includesUsage: boolean;
}

/**
 * Makes chunks of a chat completion out of what is told of a run. The texts of all its messages are the content, a blank
 * line between them.
 */
export class ChatTelling {
  readonly #frame: ChatFrame;
  /** Whether a message was told, so that the next one is set off from it. */
  #isBetween = false;
  #isSaid = false;
  #stop: StopReason = "stop";

  constructor(frame: ChatFrame) {
    this.#frame = frame;
  }

  /** The chunk before all others, which says who speaks. */
  begin(): ChatChunk {
    return this.#chunk({ role: "assistant", content: "" });
  }

  /** The chunks for what is told. What failed is not said in chunks. */
  of(told: Told): ChatChunk[] {
    switch (told.kind) {
      case "text":
        return [this.#chunk({ content: this.#setOff(told.text) })];
      case "message":
        this.#isBetween = this.#isSaid;
        this.#stop = told.stop;
        return [];
      case "call":
        return this.#tool({ call_id: told.callId, tool: told.tool, arguments: told.args });
      case "result": {
        const { callId: call_id, tool, args, text: output, isError: is_error } = told;
        return this.#tool({ call_id, tool, arguments: args, output, is_error });
      }
      case "waits":
        return [this.#chunk({ content: this.#setOff(waitingText(told.approvals)) }), ...this.#end(told.usage)];
      case "done":
        return this.#end(told.usage);
      default:
        return [];
    }
  }

  #setOff(text: string): string {
    const isNext = this.#isBetween;
    this.#isBetween = false;
    this.#isSaid = true;
    return isNext ? `\n\n${text}` : text;
  }

  #tool(tool: ShownTool): ChatChunk[] {
    return this.#frame.showsTools ? [{ ...this.#chunk({}), isopod: { tool } }] : [];
  }

  #end(usage: Usage): ChatChunk[] {
    const last = this.#chunk({}, finishReason(this.#stop));
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

/** Why an answer is over, in OpenAI's words. */
export function finishReason(stop: StopReason): FinishReason {
  if (stop === "length") return stop;
  return stop === "refusal" ? "content_filter" : "stop";
}

/** The tokens of a run, in OpenAI's words. */
export function chatUsage({ input, output, cacheRead, reasoning }: Usage): ChatUsage {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
