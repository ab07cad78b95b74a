/** What a scenario answers one request with, whichever wire format the request came in. */
export interface ScriptedReply {
  /** Where a summary is asked for, it is given as a list, as models do. */
  text?: string;
  /** Says `text` as it is, also where a summary is asked for. */
  verbatim?: boolean;
  reasoning?: string;
  /** Arguments as an object, or as the raw text that a model wrote instead of one. */
  calls?: { name: string; args?: unknown; id?: string }[];
  /** Why it stops; by default `tool-calls` with calls, else `stop`. */
  stop?: "stop" | "length" | "refusal" | "tool-calls";
  /** Characters of one delta; 12 where nothing is said. */
  chunkSize?: number;
  /** Before the first byte. */
  delayMs?: number;
  /** Between two chunks. */
  gapMs?: number;
  /** Renders the reply once for all requests, and writes each chunk in a turn of the event loop of its own. */
  steady?: boolean;
  usage?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number; reasoning?: number };
  /** Answers with this status and `body` instead of a stream. */
  status?: number;
  headers?: Record<string, string>;
  /** Sent as it is if it is a string, else as JSON. */
  body?: unknown;
  /** Destroys the socket after so many bytes of the stream. */
  cutAfterBytes?: number;
  /** Ends the stream cleanly after so many chunks, as if that were all. */
  endAfterChunks?: number;
  /** Ends it cleanly once everything is said, without saying that it is finished. */
  unfinished?: boolean;
  /** Never answers. */
  hang?: boolean;
  /** Falls silent after so many chunks, and stays on the line. */
  hangAfterChunks?: number;
  /** A whole SSE body, sent as it is. */
  raw?: string;
  /** Writes the stream in pieces of so many bytes, wherever that cuts. */
  sliceBytes?: number;
}

/** A reply as a model gives it that was asked for a summary with headings and lists. */
export function asSummary({ text, verbatim, ...reply }: ScriptedReply): ScriptedReply {
  if (text === undefined || text === "" || verbatim) return { ...reply, ...(text !== undefined && { text }) };
  return { ...reply, text: `- ${text}` };
}

/** The wire formats that the server speaks, by the path of a request. */
export type Format = "completions" | "responses" | "messages";

/** The chunks of the SSE body that says `reply` in a wire format. */
export function render(format: Format, reply: ScriptedReply, serial: number): string[] {
  if (reply.raw !== undefined) return [reply.raw];
  const script = {
    reasoning: pieces(reply.reasoning ?? "", reply.chunkSize ?? 12),
    text: pieces(reply.text ?? "", reply.chunkSize ?? 12),
    calls: (reply.calls ?? []).map(({ name, args, id }, index) => ({
      name,
      id: id ?? `call_${serial}_${index}`,
      args: pieces(argumentsText(args), reply.chunkSize ?? 12),
    })),
    stop: reply.stop ?? (reply.calls?.length ? "tool-calls" : "stop"),
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0, ...reply.usage },
  };
  const { said, finish } = { completions, responses, messages }[format](script, serial);
  return reply.unfinished ? said : [...said, ...finish];
}

interface Rendered {
  said: string[];
  finish: string[];
}

interface Script {
  reasoning: string[];
  text: string[];
  calls: { name: string; id: string; args: string[] }[];
  stop: NonNullable<ScriptedReply["stop"]>;
  usage: Required<NonNullable<ScriptedReply["usage"]>>;
}

function argumentsText(args: unknown): string {
  if (args === undefined) return "";
  return typeof args === "string" ? args : JSON.stringify(args);
}

function pieces(text: string, size: number): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += size) found.push(text.slice(at, at + size));
  return found;
}

function completions({ reasoning, text, calls, stop, usage }: Script, serial: number): Rendered {
  const chunk = (more: object) =>
    `data: ${JSON.stringify({ id: `chatcmpl-${serial}`, object: "chat.completion.chunk", created: 1, model: "fake", ...more })}\n\n`;
  const delta = (content: object, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: content, finish_reason: finish }] });
  const finish = { stop: "stop", length: "length", refusal: "content_filter", "tool-calls": "tool_calls" }[stop];
  const longest = Math.max(0, ...calls.map(({ args }) => args.length));
  const said = [
    delta({ role: "assistant", content: "" }),
    ...reasoning.map((piece) => delta({ reasoning_content: piece })),
    ...text.map((piece) => delta({ content: piece })),
    ...calls.map(({ id, name }, index) =>
      delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
    ),
    // The arguments of parallel calls arrive interleaved.
    ...Array.from({ length: longest }, (_, at) =>
      calls.flatMap(({ args }, index) =>
        args[at] === undefined ? [] : [delta({ tool_calls: [{ index, function: { arguments: args[at] } }] })],
      ),
    ).flat(),
  ];
  const counted = chunk({
    choices: [],
    usage: {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cacheRead },
      completion_tokens_details: { reasoning_tokens: usage.reasoning },
    },
  });
  return { said, finish: [delta({}, finish), counted, "data: [DONE]\n\n"] };
}

function responses({ reasoning, text, calls, stop, usage }: Script, serial: number): Rendered {
  let sequence = 0;
  const event = (type: string, more: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...more })}\n\n`;
  const response = { id: `resp_${serial}`, object: "response", created_at: 1, model: "fake" };
  const items: string[] = [];
  const output: object[] = [];
  const item = (open: object, inner: (index: number) => string[], done: object) => {
    const output_index = output.push(done) - 1;
    items.push(event("response.output_item.added", { output_index, item: open }));
    items.push(...inner(output_index));
    items.push(event("response.output_item.done", { output_index, item: done }));
  };
  const created = event("response.created", { response: { ...response, status: "in_progress", output: [] } });
  const working = event("response.in_progress", { response: { ...response, status: "in_progress", output: [] } });
  if (reasoning.length > 0) {
    const id = `rs_${serial}`;
    const summary = [{ type: "summary_text", text: reasoning.join("") }];
    item(
      { id, type: "reasoning", summary: [], encrypted_content: "sealed-at-start" },
      (output_index) =>
        reasoning.map((delta) =>
          event("response.reasoning_summary_text.delta", { item_id: id, output_index, summary_index: 0, delta }),
        ),
      { id, type: "reasoning", summary, encrypted_content: `sealed-${serial}` },
    );
  }
  if (text.length > 0) {
    const id = `msg_${serial}`;
    const part = { type: stop === "refusal" ? "refusal" : "output_text", text: text.join(""), annotations: [] };
    item(
      { id, type: "message", role: "assistant", status: "in_progress", content: [] },
      (output_index) =>
        text.map((delta) =>
          event(stop === "refusal" ? "response.refusal.delta" : "response.output_text.delta", {
            item_id: id,
            output_index,
            content_index: 0,
            delta,
          }),
        ),
      { id, type: "message", role: "assistant", status: "completed", content: [part] },
    );
  }
  for (const { id: call_id, name, args } of calls) {
    const id = `fc_${call_id}`;
    item(
      { id, type: "function_call", call_id, name, arguments: "", status: "in_progress" },
      (output_index) =>
        args.map((delta) => event("response.function_call_arguments.delta", { item_id: id, output_index, delta })),
      { id, type: "function_call", call_id, name, arguments: args.join(""), status: "completed" },
    );
  }
  const cut = stop === "length" ? { incomplete_details: { reason: "max_output_tokens" } } : {};
  const type = stop === "length" ? "response.incomplete" : "response.completed";
  const finished = {
    ...response,
    ...cut,
    status: stop === "length" ? "incomplete" : "completed",
    output,
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
  };
  return { said: [created, working, ...items], finish: [event(type, { response: finished })] };
}

function messages({ reasoning, text, calls, stop, usage }: Script, serial: number): Rendered {
  const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  let index = -1;
  const block = (content_block: object, deltas: object[]) => {
    index++;
    return [
      event("content_block_start", { index, content_block }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ];
  };
  const reasons = { stop: "end_turn", length: "max_tokens", refusal: "refusal", "tool-calls": "tool_use" };
  const counts = {
    input_tokens: usage.input - usage.cacheRead - usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
  };
  const said = [
    event("message_start", {
      message: {
        id: `msg_${serial}`,
        type: "message",
        role: "assistant",
        model: "fake",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...counts, output_tokens: 1 },
      },
    }),
    ...(reasoning.length === 0
      ? []
      : block({ type: "thinking", thinking: "", signature: "" }, [
          ...reasoning.map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: `signed-${serial}` },
        ])),
    ...(text.length === 0
      ? []
      : block(
          { type: "text", text: "" },
          text.map((piece) => ({ type: "text_delta", text: piece })),
        )),
    ...calls.flatMap(({ id, name, args }) =>
      block(
        { type: "tool_use", id, name, input: {} },
        args.map((partial_json) => ({ type: "input_json_delta", partial_json })),
      ),
    ),
  ];
  const ended = event("message_delta", {
    delta: { stop_reason: reasons[stop], stop_sequence: null },
    usage: {
      output_tokens: usage.output,
      ...(usage.reasoning > 0 && { output_tokens_details: { thinking_tokens: usage.reasoning } }),
    },
  });
  return { said, finish: [ended, event("message_stop", {})] };
}
