import { describe, expect, inject, test } from "vitest";
import type { WireFormat } from "../../src/models/ai-sdk.ts";
import { anthropicMessages } from "../../src/models/anthropic-messages.ts";
import type { ModelReply } from "../../src/models/model.ts";
import { openaiCompletions } from "../../src/models/openai-completions.ts";
import { openaiResponses } from "../../src/models/openai-responses.ts";
import { asking, endOf, eventsOf, joined, openLab, partsText } from "../contracts/model-lab.ts";

/** A provider's answer in the terms that all formats share. */
interface Said {
  id: string | undefined;
  text: string;
  calls: { tool: string; args: unknown }[];
  input: number | undefined;
  output: number | undefined;
}

type Recorded = any;

const folder = `${inject("modelServer")}/fixtures/model-streams`;
const names: string[] = inject("fixtures") ? await (await fetch(folder)).json() : ["absent.sse"];

describe.skipIf(!inject("fixtures"))("a recorded stream", () => {
  test.each(names.filter((name) => name.endsWith(".sse")))("%s gives the provider's content", async (name) => {
    const raw = await (await fetch(`${folder}/${name}`)).text();
    const events = await replay(raw);
    const reply = endOf(events);
    const said = saidIn(raw);
    expect(partsText(reply, "text")).toBe(joined(events, "text"));
    if (said === "failed") {
      expect(reply.stop).toBe("error");
      expect(reply.error?.message).not.toBe("");
      return;
    }
    expect(reply.error).toBeUndefined();
    expect(inTerms(reply)).toEqual({ text: said.text, calls: said.calls, input: said.input, output: said.output });
    expect(reply.stop).toBe(said.calls.length > 0 ? "tool-calls" : "stop");
  });

  test.each(names.filter((name) => name.endsWith(".sse")))(
    "%s says the same in pieces of seven bytes",
    async (name) => {
      const raw = await (await fetch(`${folder}/${name}`)).text();
      expect(endOf(await replay(raw, 7))).toEqual(endOf(await replay(raw)));
    },
  );

  const paired = names.filter(
    (name) => names.includes(name.replace(/\.sse$/, ".nonstream.json")) && name.endsWith(".sse"),
  );

  test.each(paired)("%s equals the provider's answer without streaming", async (name) => {
    const whole: Recorded = await (await fetch(`${folder}/${name.replace(/\.sse$/, ".nonstream.json")}`)).json();
    const raw = await (await fetch(`${folder}/${name}`)).text();
    const reply = endOf(await replay(raw));
    if (whole.error) {
      expect(reply).toMatchObject({ stop: "error", error: { message: whole.error.message, kind: "billing" } });
      return;
    }
    const expected = saidAtOnce(whole);
    const said = saidIn(raw);
    // Two recordings of one question may differ in wording; recordings of the same answer share its id.
    if (said !== "failed" && said.id === expected.id) expect({ id: said.id, ...inTerms(reply) }).toEqual(expected);
    else if (expected.text === "") expect(inTerms(reply).calls).toEqual(expected.calls);
    else
      expect(inTerms(reply).calls.map(({ tool }) => tool)).toEqual(
        expect.arrayContaining(expected.calls.map(({ tool }) => tool)),
      );
  });
});

async function replay(raw: string, sliceBytes?: number) {
  const lab = openLab();
  await lab.script(sliceBytes === undefined ? { raw } : { raw, sliceBytes });
  const modelId = "recorded";
  const options = {
    ref: `lab/${modelId}`,
    modelId,
    baseUrl: lab.baseUrl,
    headers: {},
    contextWindow: 1,
    maxOutputTokens: 1,
    fetch,
  };
  return eventsOf(formatOf(raw)({ ...options, limitsOutput: false }), asking());
}

function formatOf(raw: string): WireFormat {
  if (raw.includes('"type":"message_start"')) return anthropicMessages;
  return raw.includes('"type":"response.created"') ? openaiResponses : openaiCompletions;
}

function inTerms(reply: ModelReply): Omit<Said, "id"> {
  return {
    text: partsText(reply, "text"),
    calls: reply.parts.flatMap((part) =>
      part.type === "tool-call" ? [{ tool: part.tool, args: part.invalidArgs ?? part.args }] : [],
    ),
    input: reply.usage.input,
    output: reply.usage.output,
  };
}

/** A second, simple reader of a stream to compare with; `failed` if the stream failed. */
function saidIn(raw: string): Said | "failed" {
  const chunks: Recorded[] = [...raw.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!));
  const format = formatOf(raw);
  if (chunks.some(({ type, error }) => type === "error" || error) || isSpliced(chunks)) return "failed";
  if (format === openaiCompletions) return completionsSaid(chunks);
  // Some recordings contain several answers in a row.
  const read = format === openaiResponses ? (answer: Recorded[]) => saidAtOnce(answer.at(-1).response) : messagesSaid;
  const answers = answersIn(chunks).map(read);
  const text = answers.map((answer) => answer.text).join("");
  return { ...answers.at(-1)!, text, calls: answers.flatMap(({ calls }) => calls) };
}

/** The chunks of each answer; a message that is announced twice counts once. */
function answersIn(chunks: Recorded[]): Recorded[][] {
  const starts = chunks.flatMap(({ type, message }, at) => {
    if (type === "response.created") return [at];
    const announced = chunks.slice(0, at).some((before) => before.message?.id === message?.id);
    return type === "message_start" && !announced ? [at] : [];
  });
  return starts.map((start, n) => chunks.slice(start, starts[n + 1]));
}

/** Whether a message begins before the previous one has ended. */
function isSpliced(chunks: Recorded[]): boolean {
  const answers = answersIn(chunks);
  return chunks[0].type === "message_start" && answers.some((answer) => answer.at(-1).type !== "message_stop");
}

function completionsSaid(chunks: Recorded[]): Said {
  const deltas = chunks.flatMap(({ choices }) => choices).map(({ delta }) => delta ?? {});
  const calls = new Map<number, { tool: string; args: string }>();
  for (const { index = 0, function: called } of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
    const call = calls.get(index) ?? { tool: "", args: "" };
    calls.set(index, { tool: call.tool || called.name, args: call.args + (called.arguments ?? "") });
  }
  const usage = chunks.findLast((chunk) => chunk.usage)?.usage;
  return {
    id: chunks.at(-1).id,
    text: deltas.map(({ content }) => textOf(content)).join(""),
    calls: [...calls.values()].map(({ tool, args }) => ({ tool, args: JSON.parse(args) })),
    input: usage?.prompt_tokens,
    output: usage?.completion_tokens,
  };
}

function messagesSaid(chunks: Recorded[]): Said {
  const content = chunks
    .filter(({ type }) => type === "content_block_start")
    .map(({ index, content_block }) => {
      const deltas = chunks.filter((chunk) => chunk.index === index && chunk.delta).map(({ delta }) => delta);
      const json = deltas.map(({ partial_json = "" }) => partial_json).join("");
      const text = (content_block.text ?? "") + deltas.map((delta) => delta.text ?? "").join("");
      return { ...content_block, text, input: json === "" ? content_block.input : JSON.parse(json) };
    });
  const usage = Object.assign({}, ...chunks.map((chunk) => chunk.message?.usage ?? chunk.usage ?? {}));
  return saidAtOnce({ ...chunks[0].message, content: [...(chunks[0].message.content ?? []), ...content], usage });
}

/** The content of an answer without streaming, in any of the three formats. */
function saidAtOnce(whole: Recorded): Said {
  if (whole.choices) {
    const { message } = whole.choices[0];
    return {
      id: whole.id,
      text: textOf(message.content),
      calls: (message.tool_calls ?? []).map(({ function: called }: Recorded) => ({
        tool: called.name,
        args: JSON.parse(called.arguments),
      })),
      input: whole.usage.prompt_tokens,
      output: whole.usage.completion_tokens,
    };
  }
  if (whole.output) {
    const calls = whole.output.filter(({ type }: Recorded) => type === "function_call" || type === "custom_tool_call");
    return {
      id: whole.id,
      text: whole.output
        .flatMap(({ content }: Recorded) => content ?? [])
        .map(({ text = "" }: Recorded) => text)
        .join(""),
      calls: calls.map((call: Recorded) => ({
        tool: call.name,
        args: call.input ?? JSON.parse(call.arguments || "{}"),
      })),
      input: whole.usage.input_tokens,
      output: whole.usage.output_tokens,
    };
  }
  const { usage } = whole;
  return {
    id: whole.id,
    text: whole.content
      .filter(({ type }: Recorded) => type === "text")
      .map(({ text }: Recorded) => text)
      .join(""),
    calls: whole.content
      .filter(({ type }: Recorded) => type === "tool_use")
      .map(({ name, input }: Recorded) => ({ tool: name, args: input })),
    input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
    output: usage.output_tokens,
  };
}

function textOf(content: Recorded): string {
  if (!Array.isArray(content)) return content ?? "";
  return content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("");
}
