import { describe, expect, test } from "vitest";
import type { WireFormat, WireOptions } from "../../src/models/ai-sdk.ts";
import { anthropicMessages } from "../../src/models/anthropic-messages.ts";
import type { AssistantMessage, Message } from "../../src/models/message.ts";
import type { Model, ModelRequest } from "../../src/models/model.ts";
import { inHostDialect, openaiCompletions } from "../../src/models/openai-completions.ts";
import { openaiResponses } from "../../src/models/openai-responses.ts";
import { asking, eventsOf, type Lab, modelSaid, openLab, replyOf, toolSaid, userSays } from "../contracts/model-lab.ts";

type Body = any;

function modelAt(lab: Lab, format: WireFormat, modelId: string, more: Partial<WireOptions> = {}): Model {
  const limits = { contextWindow: 200_000, maxOutputTokens: 8_192, limitsOutput: false };
  return format({ ref: `lab/${modelId}`, modelId, baseUrl: lab.baseUrl, headers: {}, fetch, ...limits, ...more });
}

/** The body that is sent for a request. */
async function sent(format: WireFormat, modelId: string, request: Partial<ModelRequest>, more?: Partial<WireOptions>) {
  const lab = openLab();
  await replyOf(modelAt(lab, format, modelId, more), asking(request));
  const [first] = await lab.requests();
  return { body: first!.body as Body, headers: first!.headers };
}

const PROMPT = { stable: "You are helpful.", dynamic: "Today you are in a chat." };

const PIXEL = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function withPictures(messages: Message[]): Partial<ModelRequest> {
  return { messages, loadFile: async (path) => (path === "there.png" ? PIXEL : undefined) };
}

/** A turn after a tool call, ready for the next request. */
function afterTool(reply: AssistantMessage): Message[] {
  const [call] = reply.parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
  return [userSays("Read a.md."), reply, toolSaid(call!.callId, "read", "its text")];
}

const TURN = { reasoning: "I should read it.", text: "Reading.", calls: [{ name: "read", args: { path: "a.md" } }] };

/** Calls the model with a scripted turn, then again with its result, and returns the second request. */
async function secondRequest(format: WireFormat, modelId: string, answeredBy = `lab/${modelId}`): Promise<Body> {
  const lab = openLab();
  await lab.script(TURN, { text: "Done." });
  const model = modelAt(lab, format, modelId);
  const reply = await replyOf(model, asking({ thinking: "low" }));
  await replyOf(model, asking({ thinking: "low", messages: afterTool(modelSaid(reply, answeredBy)) }));
  return (await lab.requests())[1]!.body;
}

describe("Chat Completions", () => {
  test("sends the system prompt as one message, and requests a stream with usage", async () => {
    const { body } = await sent(openaiCompletions, "llama", { system: PROMPT });
    expect(body).toEqual({
      model: "llama",
      messages: [
        { role: "system", content: "You are helpful.\n\nToday you are in a chat." },
        { role: "user", content: "Hello?" },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("sends a key only if there is one, and the configured headers", async () => {
    const without = await sent(openaiCompletions, "llama", {});
    const key = await sent(openaiCompletions, "llama", {}, { apiKey: "sk-1", headers: { "x-team": "a" } });
    expect(without.headers).not.toHaveProperty("authorization");
    expect(key.headers).toMatchObject({ authorization: "Bearer sk-1", "x-team": "a" });
  });

  test("sends an output limit only if one is set, never above the model's", async () => {
    const limit = async (request: Partial<ModelRequest>, more?: Partial<WireOptions>) =>
      (await sent(openaiCompletions, "llama", request, more)).body.max_tokens;
    expect(await limit({})).toBeUndefined();
    expect(await limit({ maxOutputTokens: 100 })).toBe(100);
    expect(await limit({ maxOutputTokens: 1_000_000 })).toBe(8_192);
    expect(await limit({}, { limitsOutput: true })).toBe(8_192);
  });

  test("sends the cache key only to OpenAI", async () => {
    const lab = openLab();
    const atOpenAI: typeof fetch = (url, init) =>
      fetch(String(url).replace("https://api.openai.com/v1", lab.baseUrl), init);
    for (const baseUrl of ["https://api.openai.com/v1", lab.baseUrl]) {
      await replyOf(
        modelAt(lab, openaiCompletions, "gpt-4.1", { baseUrl, fetch: atOpenAI }),
        asking({ cacheKey: "main" }),
      );
    }
    const keys = (await lab.requests()).map(({ body }) => (body as Body).prompt_cache_key);
    expect(keys).toEqual(["main", undefined]);
  });

  test("sends a reasoning effort for thinking models only", async () => {
    const effort = async (thinking: ModelRequest["thinking"], more?: Partial<WireOptions>) =>
      (await sent(openaiCompletions, "llama", { thinking }, more)).body.reasoning_effort;
    expect(await effort("off")).toBeUndefined();
    expect(await effort("high")).toBe("high");
    expect(await effort("high", { reasoning: false })).toBeUndefined();
  });

  test("sends a model's reasoning back with the call that it led to", async () => {
    const { messages } = await secondRequest(openaiCompletions, "llama");
    expect(messages.slice(1)).toMatchObject([
      {
        role: "assistant",
        content: "Reading.",
        reasoning_content: "I should read it.",
        tool_calls: [{ function: { name: "read" } }],
      },
      { role: "tool", content: "its text", tool_call_id: messages[1].tool_calls[0].id },
    ]);
  });

  test("sends the images of a tool result after the results", async () => {
    const call = { type: "tool-call", callId: "c1", tool: "shot", args: {} } as const;
    const result = { ...toolSaid("c1", "shot", "Taken."), images: [{ path: "there.png", mediaType: "image/png" }] };
    const { body } = await sent(
      openaiCompletions,
      "llama",
      withPictures([userSays("Look."), modelSaid({ parts: [call] }, "lab/llama"), result]),
    );
    expect(body.messages.slice(2)).toMatchObject([
      { role: "tool", content: "Taken." },
      {
        role: "user",
        content: [
          { type: "text" },
          { type: "image_url", image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) } },
        ],
      },
    ]);
  });
});

describe("a dialect of Chat Completions", () => {
  const call = { role: "assistant", content: null, tool_calls: [{ id: "c1" }] };
  const body = {
    model: "m",
    max_tokens: 5,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: "Hi" }, { ...call, reasoning_content: "hm" }, call],
  };

  test("is used only for its hosts", () => {
    expect(inHostDialect("http://127.0.0.1:11434/v1", body)).toBe(body);
  });

  test("leaves out reasoning for hosts that refuse it", () => {
    for (const host of ["https://api.groq.com/openai/v1", "https://api.cerebras.ai/v1", "https://api.mistral.ai/v1"]) {
      expect(inHostDialect(host, body)).toMatchObject({ messages: [{ role: "user" }, call, call] });
      expect(JSON.stringify(inHostDialect(host, body))).not.toContain("reasoning_content");
    }
    expect(inHostDialect("https://api.mistral.ai/v1", body)).not.toHaveProperty("stream_options");
  });

  test("names the output limit as OpenAI requires", () => {
    expect(inHostDialect("https://api.openai.com/v1", body)).toMatchObject({ max_completion_tokens: 5 });
    expect(inHostDialect("https://api.openai.com/v1", body)).not.toHaveProperty("max_tokens");
  });

  test("switches DeepSeek's thinking, and sends it reasoning with every call while it thinks", () => {
    const thinking = inHostDialect("https://api.deepseek.com", { ...body, reasoning_effort: "high" });
    expect(thinking).toMatchObject({
      thinking: { type: "enabled" },
      messages: [{ role: "user" }, { reasoning_content: "hm" }, { reasoning_content: "" }],
    });
    const silent = inHostDialect("https://api.deepseek.com", body);
    expect(silent).toMatchObject({ thinking: { type: "disabled" } });
    expect(JSON.stringify(silent)).not.toContain("reasoning_content");
  });
});

describe("Responses", () => {
  test("sends the stable prompt as instructions, the dynamic one as the first message, and stores nothing", async () => {
    const { body } = await sent(openaiResponses, "gpt-5", { system: PROMPT, cacheKey: "agent:main:main" });
    expect(body).toMatchObject({
      instructions: "You are helpful.",
      input: [{ role: "developer", content: "Today you are in a chat." }, { role: "user" }],
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "agent:main:main",
    });
  });

  test("sends an effort for each level, the least one for off", async () => {
    const reasoning = async (modelId: string, thinking: ModelRequest["thinking"]) =>
      (await sent(openaiResponses, modelId, { thinking })).body.reasoning;
    expect(await reasoning("gpt-5", "medium")).toEqual({ effort: "medium", summary: "auto" });
    expect(await reasoning("gpt-5", "off")).toEqual({ effort: "minimal" });
    expect(await reasoning("gpt-6-sol", "off")).toEqual({ effort: "none" });
    expect(await reasoning("gpt-4o", "high")).toBeUndefined();
  });

  test("sends encrypted reasoning back from the transcript", async () => {
    const { input, previous_response_id } = await secondRequest(openaiResponses, "gpt-5");
    expect(previous_response_id).toBeUndefined();
    expect(input.slice(1)).toMatchObject([
      {
        type: "reasoning",
        encrypted_content: expect.stringMatching(/^sealed-\d/),
        summary: [{ text: "I should read it." }],
      },
      { role: "assistant", content: "Reading." },
      { type: "function_call", name: "read", arguments: '{"path":"a.md"}' },
      { type: "function_call_output", output: "its text" },
    ]);
    expect(JSON.stringify(input)).not.toContain("item_reference");
  });

  test("does not send reasoning that another model encrypted", async () => {
    const { input } = await secondRequest(openaiResponses, "gpt-5", "openai/gpt-4.1");
    expect(JSON.stringify(input)).not.toMatch(/sealed|reasoning/);
  });
});

describe("Messages", () => {
  test("sends cache breakpoints after the stable prompt and after the last message only", async () => {
    const messages = [
      userSays("One."),
      modelSaid({ parts: [{ type: "text", text: "Two." }] }, "lab/x"),
      userSays("Three."),
    ];
    const { body } = await sent(anthropicMessages, "claude-sonnet-4-5", { system: PROMPT, messages });
    const cached = { cache_control: { type: "ephemeral" } };
    expect(body.system).toEqual([
      { type: "text", text: "You are helpful.", ...cached },
      { type: "text", text: "Today you are in a chat." },
    ]);
    expect(body.messages.at(-1).content).toEqual([{ type: "text", text: "Three.", ...cached }]);
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(2);
  });

  test("sends a thinking budget for each level to models with budgets", async () => {
    const thinking = async (level: ModelRequest["thinking"]) =>
      (await sent(anthropicMessages, "claude-sonnet-4-5", { thinking: level })).body;
    const bodies = await Promise.all((["minimal", "low", "medium", "high"] as const).map(thinking));
    const budgets = bodies.map((body) => body.thinking.budget_tokens);
    expect(budgets).toEqual([...budgets].sort((a, b) => a - b));
    expect(new Set(budgets).size).toBe(4);
    for (const body of bodies) expect(body.max_tokens).toBeGreaterThan(body.thinking.budget_tokens);
    expect((await thinking("off")).thinking).toEqual({ type: "disabled" });
  });

  test("lets models with adaptive thinking decide", async () => {
    const { body } = await sent(anthropicMessages, "claude-opus-5", { thinking: "low" });
    expect(body).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "low" } });
  });

  test("sends signed thinking back within a turn, and not in the next", async () => {
    const lab = openLab();
    await lab.script(TURN, { text: "Done." }, { text: "Hello." });
    const model = modelAt(lab, anthropicMessages, "claude-sonnet-4-5");
    const first = modelSaid(await replyOf(model, asking({ thinking: "low" })), model.ref);
    const turn = afterTool(first);
    const last = modelSaid(await replyOf(model, asking({ thinking: "low", messages: turn })), model.ref);
    await replyOf(model, asking({ thinking: "low", messages: [...turn, last, userSays("And now?")] }));
    const [, within, next] = (await lab.requests()).map(({ body }): Body => body);
    expect(within.messages[1].content[0]).toEqual({
      type: "thinking",
      thinking: "I should read it.",
      signature: expect.stringMatching(/^signed-\d/),
    });
    expect(JSON.stringify(next.messages)).not.toContain("thinking");
    expect(next.messages[1].content).toMatchObject([
      { type: "text", text: "Reading." },
      { type: "tool_use", name: "read" },
    ]);
  });

  test("sends a tool's failure as an error, and its image in the result", async () => {
    const parts = ["c1", "c2"].map((callId) => ({ type: "tool-call", callId, tool: "shot", args: {} }) as const);
    const image = { ...toolSaid("c2", "shot", "Taken."), images: [{ path: "there.png", mediaType: "image/png" }] };
    const messages = [
      userSays("Look."),
      modelSaid({ parts }, "lab/x"),
      toolSaid("c1", "shot", "No camera.", true),
      image,
    ];
    const { body } = await sent(anthropicMessages, "claude-sonnet-4-5", withPictures(messages));
    expect(body.messages[2].content).toMatchObject([
      { type: "tool_result", tool_use_id: "c1", content: "No camera.", is_error: true },
      { type: "tool_result", tool_use_id: "c2", content: [{ type: "text", text: "Taken." }, { type: "image" }] },
    ]);
  });

  test("reports a ping as progress", async () => {
    const lab = openLab();
    const start = { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 1, output_tokens: 1 } } };
    await lab.script({ raw: [start, { type: "ping" }].map((data) => `data: ${JSON.stringify(data)}\n\n`).join("") });
    const events = await eventsOf(modelAt(lab, anthropicMessages, "claude-sonnet-4-5"), asking());
    expect(events.map(({ type }) => type)).toEqual(["progress", "end"]);
  });

  test("accepts base URLs with and without the version", async () => {
    const { headers } = await sent(anthropicMessages, "claude-sonnet-4-5", {}, { apiKey: "sk-ant" });
    expect(headers).toMatchObject({ "x-api-key": "sk-ant", "anthropic-version": "2023-06-01" });
    const lab = openLab();
    await replyOf(modelAt(lab, anthropicMessages, "m", { baseUrl: lab.baseUrl.replace(/\/v1$/, "/") }), asking());
    expect(await lab.requests()).toHaveLength(1);
  });
});

describe.each<[string, WireFormat]>([
  ["Chat Completions", openaiCompletions],
  ["Responses", openaiResponses],
  ["Messages", anthropicMessages],
])("a transcript in %s", (_, format) => {
  test("sends an image, and a note for a deleted one", async () => {
    const images = ["there.png", "gone.png"].map((path) => ({ path, mediaType: "image/png" }));
    const { body } = await sent(format, "claude-or-gpt", withPictures([{ ...userSays("See?"), images }]));
    const said = JSON.stringify(body);
    expect(said).toContain(btoa(String.fromCharCode(...PIXEL)));
    expect(said).toContain("[The image gone.png is no longer there.]");
  });

  test("sends another model's calls with portable ids", async () => {
    const call = {
      type: "tool-call",
      callId: "functions.read:0",
      tool: "read",
      args: {},
      meta: { kimi: { a: 1 } },
    } as const;
    const parts = [{ type: "reasoning", text: "Secret thoughts." } as const, call];
    const messages = [
      userSays("Read."),
      modelSaid({ parts }, "moonshot/kimi"),
      toolSaid("functions.read:0", "read", "text"),
    ];
    const said = JSON.stringify((await sent(format, "m", { messages })).body);
    expect(said.match(/functions_read_0/g)).toHaveLength(2);
    expect(said).not.toContain("functions.read:0");
    expect(said).not.toContain("Secret thoughts.");
  });

  test("keeps the text of an interrupted answer, not its reasoning", async () => {
    const parts = [
      { type: "reasoning", text: "Unsigned." } as const,
      { type: "text", text: "I was about to" } as const,
    ];
    const messages = [userSays("Go."), modelSaid({ parts, stop: "error" }, "lab/m"), userSays("Go on.")];
    const said = JSON.stringify((await sent(format, "m", { messages })).body);
    expect(said).toContain("I was about to");
    expect(said).not.toContain("Unsigned.");
  });

  test("leaves out reasoning at the end of a message", async () => {
    const meta = { openai: { itemId: "rs_1", reasoningEncryptedContent: "x" }, anthropic: { signature: "x" } };
    const parts = [{ type: "reasoning", text: "I wonder", meta } as const];
    const { body } = await sent(format, "m", {
      messages: [userSays("Go."), modelSaid({ parts, stop: "length" }, "lab/m")],
    });
    expect(JSON.stringify(body)).not.toContain("I wonder");
  });

  test("leaves out an empty answer, and marks an empty user message", async () => {
    const messages = [userSays("Go."), modelSaid({ parts: [], stop: "error" }, "lab/m"), userSays("")];
    const said = JSON.stringify((await sent(format, "m", { messages })).body);
    expect(said).not.toContain("assistant");
    expect(said).toContain("(an empty message)");
  });
});

test("reasoning that a Responses server sends as it is, and not as a summary, is reasoning", async () => {
  const lab = openLab();
  const item = { type: "reasoning", id: "rs_1", summary: [], content: [] };
  const text = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] };
  const said = { ...text, status: "completed", content: [{ type: "output_text", text: "Four.", annotations: [] }] };
  const events = [
    { type: "response.created", response: { id: "resp_1", created_at: 1, model: "local" } },
    { type: "response.output_item.added", output_index: 0, item },
    ...["Two", " and", " two."].map((delta) => ({
      ...{ type: "response.reasoning_text.delta", item_id: "rs_1", output_index: 0, content_index: 0, delta },
    })),
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.output_item.added", output_index: 1, item: text },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0, delta: "Four." },
    { type: "response.output_item.done", output_index: 1, item: said },
    { type: "response.completed", response: { id: "resp_1", usage: { input_tokens: 3, output_tokens: 4 } } },
  ];
  await lab.script({ raw: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("") });
  const reply = await replyOf(modelAt(lab, openaiResponses, "local"), asking({ thinking: "low" }));
  expect(reply.parts).toMatchObject([
    { type: "reasoning", text: "Two and two." },
    { type: "text", text: "Four." },
  ]);
});

describe("a format and a tool that must be called", () => {
  const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] } as const;
  const format = { name: "answer", schema: { ...schema, required: ["a"] } };
  const tools = [{ name: "look", description: "Looks.", parameters: { type: "object", properties: {} } }];

  test("are fields of Chat Completions", async () => {
    const { body } = await sent(openaiCompletions, "llama", { format, tools, toolChoice: { tool: "look" } });
    expect(body.response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "answer", strict: false, schema: format.schema },
    });
    expect(body.tool_choice).toEqual({ type: "function", function: { name: "look" } });
    const object = await sent(openaiCompletions, "llama", { format: {}, tools, toolChoice: "required" });
    expect(object.body).toMatchObject({ response_format: { type: "json_object" }, tool_choice: "required" });
  });

  test("are fields of Responses", async () => {
    const { body } = await sent(openaiResponses, "gpt-5", { format, tools, toolChoice: { tool: "look" } });
    expect(body.text.format).toMatchObject({ type: "json_schema", name: "answer", strict: false });
    expect(body.tool_choice).toEqual({ type: "function", name: "look" });
  });

  test("leave Anthropic's tools alone: no tool for the format is added", async () => {
    const { body } = await sent(anthropicMessages, "claude-sonnet-4-5", { format, tools, toolChoice: "required" });
    expect(body.tools.map((tool: Body) => tool.name)).toEqual(["look"]);
    expect(body.tool_choice).toEqual({ type: "any" });
  });
});
