import { joinBytes } from "../lib/join-bytes.ts";
import { isJsonObject, type Json, type JsonObject } from "../lib/json.ts";
import { sleep } from "../lib/sleep.ts";

/** Milliseconds within which the deltas of an answer are joined. */
const MOMENT_MS = 20;
/** The end of a server-sent event (WHATWG HTML). */
const EVENT_END = /\r\n\r\n|\n\n|\r\r/;

/** The text of a streamed chunk that only continues a block of the answer. */
export interface WireDelta {
  /** The same for all deltas of a block. */
  block: string;
  /** The object in the chunk that has the text, and its name there. */
  holder: JsonObject;
  field: string;
}

/** Finds the delta in a chunk of a wire format; undefined where the chunk says anything else as well. */
export type FindDelta = (chunk: JsonObject) => WireDelta | undefined;

/**
 * A `fetch` that joins the deltas of a streamed answer that arrive within a moment, before the AI SDK parses them: for
 * each chunk the SDK spends several times what reading it costs. The first delta passes at once, and so does the end.
 * @param rewrites matches events that `findDelta` changes, which are then written anew
 */
export function joiningFetch(fetchModel: typeof fetch, findDelta: FindDelta, rewrites?: RegExp): typeof fetch {
  return async (input, init) => {
    const response = await fetchModel(input, init);
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("Content-Type") ?? "");
    if (!response.ok || !isStream || response.body === null) return response;
    return new Response(joinDeltas(response.body, findDelta, rewrites), response);
  };
}

/** The same server-sent events, with the deltas of each moment as one. */
export function joinDeltas(
  body: ReadableStream<Uint8Array>,
  findDelta: FindDelta,
  rewrites?: RegExp,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const joiner = new DeltaJoiner(findDelta, rewrites);
  const moments = readMoments(reader, () => joiner.hasBegun);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await moments.next();
          const text = done ? joiner.end() : joiner.push(decoder.decode(value, { stream: true }));
          if (text !== "") controller.enqueue(encoder.encode(text));
          if (done) controller.close();
          if (done || text !== "") return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The bytes of a stream: each chunk as it comes, and once the answer has begun, all of a moment together. */
async function* readMoments(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  hasBegun: () => boolean,
): AsyncGenerator<Uint8Array, void> {
  let gathered: Uint8Array[] = [];
  let moment: Promise<void> | undefined;
  let next = reader.read();
  for (;;) {
    const read = await (moment === undefined ? next : Promise.race([next, moment])).catch((error: unknown) => ({
      error,
    }));
    const isBroken = read !== undefined && "error" in read;
    const isOver = read === undefined || isBroken || read.done;
    if (read !== undefined && !isBroken && !read.done) {
      gathered.push(read.value);
      next = reader.read();
      // It is awaited in the next round, which may come after it has failed.
      next.catch(() => undefined);
    }
    if (gathered.length > 0 && (isOver || moment === undefined)) {
      yield joinBytes(gathered);
      gathered = [];
      moment = hasBegun() ? sleep(MOMENT_MS) : undefined;
    } else if (read === undefined) moment = undefined;
    if (isBroken) throw read.error;
    if (read?.done) return;
  }
}

/** Joins the deltas of the events that are pushed together. */
class DeltaJoiner {
  readonly #findDelta: FindDelta;
  readonly #rewrites: RegExp | undefined;
  /** The beginning of an event whose end has not come. */
  #rest = "";
  #hasBegun = false;

  constructor(findDelta: FindDelta, rewrites: RegExp | undefined) {
    this.#findDelta = findDelta;
    this.#rewrites = rewrites;
  }

  /** Whether a delta with text came. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The text of the events that are complete. */
  push(text: string): string {
    const blocks = (this.#rest + text).split(EVENT_END);
    this.#rest = blocks.pop() ?? "";
    const [first, ...others] = blocks;
    if (first === undefined) return "";
    if (others.length === 0 && this.#hasBegun && !this.#rewrites?.test(first)) return `${first}\n\n`;
    return this.#joined(blocks);
  }

  /** The text that remains. */
  end(): string {
    return this.#rest;
  }

  #joined(blocks: readonly string[]): string {
    let joined = "";
    let open: { head: string; chunk: JsonObject; delta: WireDelta } | undefined;
    const close = () => {
      if (open !== undefined) joined += `${open.head}data: ${JSON.stringify(open.chunk)}\n\n`;
      open = undefined;
    };
    for (const block of blocks) {
      const event = readEvent(block);
      const delta = event && this.#findDelta(event.chunk);
      if (event === undefined || delta === undefined) {
        close();
        joined += `${block}\n\n`;
        continue;
      }
      this.#hasBegun ||= delta.holder[delta.field] !== "";
      if (open?.delta.block === delta.block) append(open.delta, delta);
      else {
        close();
        open = { ...event, delta };
      }
    }
    close();
    return joined;
  }
}

function append({ holder, field }: WireDelta, more: WireDelta): void {
  holder[field] = `${holder[field]}${more.holder[more.field]}`;
}

/** The JSON of an event of one `data` line, and the lines before it; undefined for any other event. */
function readEvent(block: string): { head: string; chunk: JsonObject } | undefined {
  const [, head = "", data = ""] = /^((?:event:[^\r\n]*\r?\n)?)data:([^\r\n]*)$/.exec(block) ?? [];
  if (!data.trimStart().startsWith("{")) return undefined;
  try {
    const chunk: Json = JSON.parse(data);
    return isJsonObject(chunk) ? { head, chunk } : undefined;
  } catch (error) {
    // The SDK says what is wrong with it.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
