import type { StopReason } from "../../models/message.ts";
import { callItem, doneCall, SPEECH, type SpeechKind, speechItem, speechPart } from "./response-items.ts";
import { endedResponse, openResponse, type ResponseFrame } from "./response-object.ts";
import type { OutputItem, ResponseObject } from "./responses-schema.ts";
import type { Ending, Told } from "./telling.ts";
import { waitingText } from "./waiting.ts";

/** An event of a response's stream, as OpenAI has them. */
export interface ResponseEvent {
  type: string;
  sequence_number: number;
  [field: string]: unknown;
}

/** What a caller wants to see besides what the agent says. */
export interface ResponseView {
  showsTools: boolean;
  showsReasoning: boolean;
}

/** What is being said, and its place in the output. */
interface Speech {
  kind: SpeechKind;
  id: string;
  index: number;
  text: string;
}

/**
 * Makes the events of a response's stream out of what is told of a run. Each message of the run is an item of the
 * output, as are, where they are shown, its thoughts and its tool calls: those as calls of a server's own tools, which
 * no client tries to run. The text with which an item ends is what counts: it has nothing of what a restart made void.
 */
export class ResponseTelling {
  readonly #frame: ResponseFrame;
  readonly #view: ResponseView;
  readonly #output: OutputItem[] = [];
  /** Where in the output the calls are that are not done. */
  readonly #calls = new Map<string, number>();
  #speech: Speech | undefined;
  /** Whether a part of the message at hand is an item already. */
  #isSplit = false;
  #stop: StopReason = "stop";
  #sequence = 0;
  #response: ResponseObject;

  constructor(frame: ResponseFrame, view: ResponseView) {
    this.#frame = frame;
    this.#view = view;
    this.#response = openResponse(frame, "in_progress");
  }

  /** The response as far as it is told. */
  get response(): ResponseObject {
    return this.#response;
  }

  /** The events before all others. */
  begin(): ResponseEvent[] {
    const { response } = this;
    return [this.#event("response.created", { response }), this.#event("response.in_progress", { response })];
  }

  /** The events for what is told. */
  of(told: Told): ResponseEvent[] {
    switch (told.kind) {
      case "reasoning":
        return this.#view.showsReasoning ? this.#say("reasoning", told.text) : [];
      case "text":
        return this.#say("message", told.text);
      case "message": {
        this.#stop = told.stop;
        const whole = this.#speech?.kind === "reasoning" ? told.reasoning : told.text;
        const events = this.#finish(this.#isSplit ? undefined : whole, isWhole(told.stop) ? "completed" : "incomplete");
        this.#isSplit = false;
        return events;
      }
      case "call":
        return this.#view.showsTools ? this.#call(told) : [];
      case "result":
        return this.#view.showsTools ? this.#result(told) : [];
      case "waits":
        return [...this.#say("message", waitingText(told.approvals)), ...this.#finish(), ...this.#end(told)];
      default:
        return [...this.#finish(undefined, "incomplete"), ...this.#end(told)];
    }
  }

  /** The event where the telling itself breaks. */
  broken({ message, code, param }: { message: string; code: string | null; param: string | null }): ResponseEvent {
    return this.#event("error", { code, message, param });
  }

  #say(kind: SpeechKind, delta: string): ResponseEvent[] {
    const events: ResponseEvent[] = [];
    if (this.#speech !== undefined && this.#speech.kind !== kind) {
      this.#isSplit ||= this.#speech.kind === "message";
      events.push(...this.#finish());
    }
    const speech = this.#speech ?? this.#begin(kind, events);
    speech.text += delta;
    const { text, more } = SPEECH[kind];
    events.push(this.#event(`${text}.delta`, { ...placeOf(speech), delta, ...more }));
    return events;
  }

  #begin(kind: SpeechKind, events: ResponseEvent[]): Speech {
    const index = this.#output.length;
    const speech = { kind, id: this.#itemId(SPEECH[kind].prefix), index, text: "" };
    const item = speechItem(kind, speech.id, "in_progress");
    this.#output.push(item);
    this.#speech = speech;
    events.push(this.#event("response.output_item.added", { output_index: index, item }));
    events.push(this.#event(`${SPEECH[kind].part}.added`, { ...placeOf(speech), part: speechPart(kind, "") }));
    return speech;
  }

  /** Closes the item that is being said, if one is. @param whole its text, where that is not what was told of it */
  #finish(whole?: string, status: "completed" | "incomplete" = "completed"): ResponseEvent[] {
    const speech = this.#speech;
    if (speech === undefined) return [];
    const { kind, id, index } = speech;
    const text = whole ?? speech.text;
    const item = speechItem(kind, id, status, text);
    this.#speech = undefined;
    this.#output[index] = item;
    return [
      this.#event(`${SPEECH[kind].text}.done`, { ...placeOf(speech), text, ...SPEECH[kind].more }),
      this.#event(`${SPEECH[kind].part}.done`, { ...placeOf(speech), part: speechPart(kind, text) }),
      this.#event("response.output_item.done", { output_index: index, item }),
    ];
  }

  #call({ callId, tool, args }: Pick<Extract<Told, { kind: "call" }>, "callId" | "tool" | "args">): ResponseEvent[] {
    const output_index = this.#output.length;
    const item = callItem(this.#itemId("mcp"), tool, JSON.stringify(args));
    const place = { item_id: item.id, output_index };
    this.#output.push(item);
    this.#calls.set(callId, output_index);
    return [
      this.#event("response.output_item.added", { output_index, item: { ...item, arguments: "" } }),
      this.#event("response.mcp_call.in_progress", place),
      this.#event("response.mcp_call_arguments.delta", { ...place, delta: item.arguments }),
      this.#event("response.mcp_call_arguments.done", { ...place, arguments: item.arguments }),
    ];
  }

  #result(told: Extract<Told, { kind: "result" }>): ResponseEvent[] {
    const events = this.#calls.has(told.callId) ? [] : this.#call(told);
    const output_index = this.#calls.get(told.callId) ?? -1;
    const call = this.#output[output_index];
    if (call?.type !== "mcp_call") return events;
    const item = doneCall(call, told);
    this.#output[output_index] = item;
    this.#calls.delete(told.callId);
    return [
      ...events,
      this.#event(`response.mcp_call.${item.status}`, { item_id: item.id, output_index }),
      this.#event("response.output_item.done", { output_index, item }),
    ];
  }

  #end(ending: Ending): ResponseEvent[] {
    this.#response = endedResponse(this.#frame, ending, { output: this.#output, stop: this.#stop });
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

/** Where a text that is being said belongs. */
function placeOf({ kind, id, index }: Speech) {
  return { item_id: id, output_index: index, ...SPEECH[kind].place };
}

function isWhole(stop: StopReason): boolean {
  return stop !== "length" && stop !== "error" && stop !== "aborted";
}
