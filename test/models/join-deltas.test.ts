import { expect, test } from "vitest";
import type { JsonObject } from "../../src/lib/json.ts";
import { joinDeltas, type WireDelta } from "../../src/models/join-deltas.ts";

/** A wire format of this test: `{say}` continues the text of `{to}`. */
function findDelta(chunk: JsonObject): WireDelta | undefined {
  return typeof chunk.say === "string" ? { block: `${chunk.to}`, holder: chunk, field: "say" } : undefined;
}

function data(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** A stream that a test writes to, and what comes out of it so far. */
function joining() {
  const through = new TransformStream<Uint8Array, Uint8Array>();
  const writer = through.writable.getWriter();
  const out: string[] = [];
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of joinDeltas(through.readable, findDelta)) out.push(decoder.decode(bytes));
  })();
  return { out, ended, writer, write: (text: string) => writer.write(new TextEncoder().encode(text)) };
}

/** The chunks of events, and the lines of those that are none. */
function chunks(out: readonly string[]): unknown[] {
  const events = out.join("").split("\n\n").filter(Boolean);
  return events.map((event) => (event.startsWith("data: {") ? JSON.parse(event.slice(6)) : event));
}

test("the first delta passes alone, and the deltas of a moment come as one", async () => {
  const { out, ended, write, writer } = joining();
  await write(data({ say: "", to: 1, role: "assistant" }));
  await write(data({ say: "a", to: 1 }));
  for (const say of ["b", "c", "d"]) void write(data({ say, to: 1 }));
  await writer.close();
  await ended;
  expect(chunks(out)).toEqual([
    { say: "", to: 1, role: "assistant" },
    { say: "a", to: 1 },
    { say: "bcd", to: 1 },
  ]);
});

test("deltas of different blocks and other events stay apart and in order", async () => {
  const { out, ended, write, writer } = joining();
  const parts = [{ say: "a", to: 1 }, { say: "b", to: 2 }, { say: "c", to: 2 }, { stop: true }, { say: "d", to: 2 }];
  await write(`${parts.map(data).join("")}: comment\n\ndata: [DONE]\n\n`);
  await writer.close();
  await ended;
  expect(chunks(out)).toEqual([
    ...[{ say: "a", to: 1 }, { say: "bc", to: 2 }, { stop: true }, { say: "d", to: 2 }],
    ...[": comment", "data: [DONE]"],
  ]);
});

test.each(["\n", "\r\n", "\r"])("events end with a blank line, whatever ends a line (%j)", async (end) => {
  const { out, ended, write, writer } = joining();
  const event = (say: string) => `event: delta${end}data:{"say":"${say}","to":1}${end}${end}`;
  const text = event("ä") + event("b");
  for (const byte of new TextEncoder().encode(text)) await writer.write(Uint8Array.of(byte));
  await write("data: cut off");
  await writer.close();
  await ended;
  const said = out.join("").replaceAll(/.*"say":"([^"]*)".*|[\s\S]/g, "$1");
  expect(said).toBe("äb");
  expect(out.join("")).toMatch(/data: cut off$/);
});

test("a stream that breaks gives what came before, then its error", async () => {
  const { out, ended, write, writer } = joining();
  await write(data({ say: "a", to: 1 }));
  await write(data({ say: "b", to: 1 }));
  await writer.abort(new Error("The line was cut."));
  await expect(ended).rejects.toThrow("The line was cut.");
  expect(chunks(out)).toEqual([
    { say: "a", to: 1 },
    { say: "b", to: 1 },
  ]);
});

test("a reader that leaves cancels the model's stream", async () => {
  let reason: unknown;
  const body = new ReadableStream<Uint8Array>({
    cancel(given) {
      reason = given;
    },
  });
  await joinDeltas(body, findDelta).cancel("enough");
  expect(reason).toBe("enough");
});
