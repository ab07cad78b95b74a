import type { StopReason, ToolCallPart } from "../../models/message.ts";
import { openAiProblem } from "./errors.ts";
import type { StreamFormat } from "./follow-run.ts";
import {
  callItem,
  clientCallItem,
  endedCall,
  endedResponse,
  openResponse,
  type ResponseFrame,
  TEXT_ITEMS,
  type TextItemKind,
  textItem,
  textPart,
} from "./response-object.ts";
import type { OutputItem, ResponseObject } from "./responses-schema.ts";
import { approvalPrompt, type FinalUpdate, type RunUpdate } from "./run-updates.ts";

/** An event of a response's stream, as OpenAI defines them. */
export interface ResponseEvent {
  type: string;
  sequence_number: number;
  [field: string]: unknown;
}

/** Which output a caller asked for besides messages. */
export interface ResponseOptions {
  showsTools: boolean;
  showsReasoning: boolean;
}

/** The text item that is open. */
interface OpenItem {
  kind: TextItemKind;
  id: string;
  /** Its index in the output. */
  index: number;
  text: string;
}

/**
 * Turns a run's updates into the events of a response. Each message of the run is an item of the output; reasoning and
 * tool calls are items too where the caller asked for them. The final text of an item is authoritative: it leaves out
 * what a restart made void.
 */
export class ResponseEvents {
  readonly #frame: ResponseFrame;
  readonly #options: ResponseOptions;
  readonly #output: OutputItem[] = [];
  /** The output index of each call that has not ended. */
  readonly #calls = new Map<string, number>();
  #open: OpenItem | undefined;
  /** Whether a part of the current message is an ended item already. */
  #isSplit = false;
  #stop: StopReason = "stop";
  #sequence = 0;
  #response: ResponseObject;

  constructor(frame: ResponseFrame, options: ResponseOptions) {
    this.#frame = frame;
    this.#options = options;
    this.#response = openResponse(frame, "in_progress");
  }

  /** The response so far. */
  get response(): ResponseObject {
    return this.#response;
  }

  /** The first events. */
  first(): ResponseEvent[] {
    const { response } = this;
    return [this.#event("response.created", { response }), this.#event("response.in_progress", { response })];
  }

  /** The events of an update. */
  from(update: RunUpdate): ResponseEvent[] {
    switch (update.kind) {
      case "reasoning":
        return this.#options.showsReasoning ? this.#append("reasoning", update.text) : [];
      case "text":
        return this.#append("message", update.text);
      case "message": {
        this.#stop = update.stop;
        const whole = this.#open?.kind === "reasoning" ? update.reasoning : update.text;
        const status = isComplete(update.stop) ? "completed" : "incomplete";
        const events = this.#finish(this.#isSplit ? undefined : whole, status);
        this.#isSplit = false;
        return events;
      }
      case "call":
        return this.#options.showsTools ? this.#call(update) : [];
      case "result":
        return this.#options.showsTools ? this.#result(update) : [];
      case "called":
        return [...this.#finish(), ...update.calls.flatMap((call) => this.#clientCall(call))];
      case "waits":
        return [...this.#append("message", approvalPrompt(update.approvals)), ...this.#finish(), ...this.#end(update)];
      default:
        return [...this.#finish(undefined, "incomplete"), ...this.#end(update)];
    }
  }

  /** The event where following the run fails. */
  failure({ message, code, param }: { message: string; code: string | null; param: string | null }): ResponseEvent {
    return this.#event("error", { code, message, param });
  }

  #append(kind: TextItemKind, delta: string): ResponseEvent[] {
    const events: ResponseEvent[] = [];
    if (this.#open !== undefined && this.#open.kind !== kind) {
      this.#isSplit ||= this.#open.kind === "message";
      events.push(...this.#finish());
    }
    const item = this.#open ?? this.#start(kind, events);
    item.text += delta;
    const { textEvent, extra } = TEXT_ITEMS[kind];
    events.push(this.#event(`${textEvent}.delta`, { ...textPosition(item), delta, ...extra }));
    return events;
  }

  #start(kind: TextItemKind, events: ResponseEvent[]): OpenItem {
    const index = this.#output.length;
    const { idPrefix, partEvent } = TEXT_ITEMS[kind];
    const open = { kind, id: this.#itemId(idPrefix), index, text: "" };
    const item = textItem(kind, open.id, "in_progress");
    this.#output.push(item);
    this.#open = open;
    events.push(this.#event("response.output_item.added", { output_index: index, item }));
    events.push(this.#event(`${partEvent}.added`, { ...textPosition(open), part: textPart(kind, "") }));
    return open;
  }

  /** Ends the open item, if there is one. @param whole its text, where that differs from the sum of its deltas */
  #finish(whole?: string, status: "completed" | "incomplete" = "completed"): ResponseEvent[] {
    const open = this.#open;
    if (open === undefined) return [];
    const { kind, id, index } = open;
    const { textEvent, partEvent, extra } = TEXT_ITEMS[kind];
    const text = whole ?? open.text;
    const item = textItem(kind, id, status, text);
    this.#open = undefined;
    this.#output[index] = item;
    return [
      this.#event(`${textEvent}.done`, { ...textPosition(open), text, ...extra }),
      this.#event(`${partEvent}.done`, { ...textPosition(open), part: textPart(kind, text) }),
      this.#event("response.output_item.done", { output_index: index, item }),
    ];
  }

  #call({ callId, tool, args }: Pick<Extract<RunUpdate, { kind: "call" }>, "callId" | "tool" | "args">) {
    const output_index = this.#output.length;
    const item = callItem(this.#itemId("mcp"), tool, JSON.stringify(args));
    const position = { item_id: item.id, output_index };
    this.#output.push(item);
    this.#calls.set(callId, output_index);
    return [
      this.#event("response.output_item.added", { output_index, item: { ...item, arguments: "" } }),
      this.#event("response.mcp_call.in_progress", position),
      this.#event("response.mcp_call_arguments.delta", { ...position, delta: item.arguments }),
      this.#event("response.mcp_call_arguments.done", { ...position, arguments: item.arguments }),
    ];
  }

  #clientCall(call: ToolCallPart): ResponseEvent[] {
    const output_index = this.#output.length;
    const item = clientCallItem(this.#itemId("fc"), call);
    const position = { item_id: item.id, output_index };
    this.#output.push(item);
    const begun = { ...item, arguments: "", status: "in_progress" };
    return [
      this.#event("response.output_item.added", { output_index, item: begun }),
      this.#event("response.function_call_arguments.delta", { ...position, delta: item.arguments }),
      this.#event("response.function_call_arguments.done", { ...position, name: item.name, arguments: item.arguments }),
      this.#event("response.output_item.done", { output_index, item }),
    ];
  }

  #result(result: Extract<RunUpdate, { kind: "result" }>): ResponseEvent[] {
    const events = this.#calls.has(result.callId) ? [] : this.#call(result);
    const output_index = this.#calls.get(result.callId) ?? -1;
    const call = this.#output[output_index];
    if (call?.type !== "mcp_call") return events;
    const item = endedCall(call, result);
    this.#output[output_index] = item;
    this.#calls.delete(result.callId);
    return [
      ...events,
      this.#event(`response.mcp_call.${item.status}`, { item_id: item.id, output_index }),
      this.#event("response.output_item.done", { output_index, item }),
    ];
  }

  #end(final: FinalUpdate): ResponseEvent[] {
    this.#response = endedResponse(this.#frame, final, { output: this.#output, stop: this.#stop });
    const { response } = this;
    const type = response.status === "cancelled" ? "failed" : response.status;
    return [this.#event(`response.${type}`, { response })];
  }

  #itemId(prefix: string): string {
    return `${prefix}_${this.#frame.id.slice("resp_".length)}_${this.#output.length}`;
  }

  #event(type: string, fields: object): ResponseEvent {
    return { type, sequence_number: this.#sequence++, ...fields };
  }
}

/** The position of an item's text in the response. */
function textPosition({ kind, id, index }: OpenItem) {
  return { item_id: id, output_index: index, ...TEXT_ITEMS[kind].index };
}

function isComplete(stop: StopReason): boolean {
  return stop !== "length" && stop !== "error" && stop !== "aborted";
}

/** A streamed response. Each event has its type both as the SSE event's name and in the data, as clients expect. */
export function responseStreamFormat(events: ResponseEvents): StreamFormat {
  return {
    begin: () => events.first().map(eventLines).join(""),
    update: (update) => events.from(update).map(eventLines).join(""),
    failure: (thrown) => eventLines(events.failure(openAiProblem(thrown, "/v1/responses").error)),
    end: () => "",
  };
}

function eventLines(event: ResponseEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
