import OpenAI from "openai";
import type { ChatCompletionChunk, ChatCompletionMessageParam } from "openai/resources";
import { describe, expect, test } from "vitest";
import { asked, call, historyOf, script, waitFor } from "./client.ts";
import { openai, refusal } from "./openai-client.ts";
import { evict, session, sql } from "./session-lab.ts";

const MODEL = "isopod/main";

/** What goes with a request so that a scenario of the fake model answers it. */
function by(scenario: string, headers: Record<string, string> = {}) {
  return { headers: { "x-isopod-model": `fake/${scenario}`, ...headers } };
}

function says(content: string): ChatCompletionMessageParam[] {
  return [{ role: "user", content }];
}

describe("an answer", () => {
  test("a chat completion has OpenAI's shape and its usage", async () => {
    const usage = { input: 100, output: 20, cacheRead: 30, reasoning: 5 };
    await script("chat-plain", [{ text: "Grüße, 世界 👋", usage }]);
    const request = openai().chat.completions.create({ model: MODEL, messages: says("Hi") }, by("chat-plain"));
    const { data, request_id } = await request.withResponse();
    expect(data).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-[0-9a-z]{52}$/),
      object: "chat.completion",
      model: "isopod/main",
      choices: [{ index: 0, message: { role: "assistant", content: "Grüße, 世界 👋" }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 30 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
    });
    expect(Math.abs(data.created - Date.now() / 1000)).toBeLessThan(60);
    expect(request_id).toBe(`run_${data.id.slice("chatcmpl-".length)}`);
  });

  test("a streamed chat completion comes in deltas that the official client accumulates", async () => {
    await script("chat-stream", [{ text: "One two three, 世界.", chunkSize: 3, gapMs: 30 }]);
    const stream = openai().chat.completions.stream({ model: MODEL, messages: says("Count") }, by("chat-stream"));
    const deltas: string[] = [];
    stream.on("content", (delta) => deltas.push(delta));
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { content: "One two three, 世界." },
    });
    expect(deltas.filter((delta) => delta !== "").length).toBeGreaterThan(1);
  });

  test("a chat stream starts with the role, ends with the finish reason, and has usage last with include_usage", async () => {
    await script("chat-chunks", [{ text: "Yes." }]);
    const body = { model: MODEL, messages: says("Well?"), stream: true as const };
    const without = await chunksOf(await openai().chat.completions.create(body, by("chat-chunks")));
    expect(without[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    expect(without.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: "stop" });
    expect(without.every((chunk) => !("usage" in chunk))).toBe(true);
    const options = { ...body, stream_options: { include_usage: true } };
    const chunks = await chunksOf(await openai().chat.completions.create(options, by("chat-chunks")));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15 } });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
  });

  test("a cut-off answer has finish_reason length, a refusal content_filter", async () => {
    await script("chat-length", [{ text: "It goes on and", stop: "length" }]);
    await script("chat-refusal", [{ text: "No.", stop: "refusal" }]);
    const { create } = openai().chat.completions;
    const finish = async (scenario: string) => {
      const completions = openai().chat.completions;
      const completion = await create.call(completions, { model: MODEL, messages: says("x") }, by(scenario));
      return (completion as OpenAI.ChatCompletion).choices[0]?.finish_reason;
    };
    expect(await finish("chat-length")).toBe("length");
    expect(await finish("chat-refusal")).toBe("content_filter");
  });

  test("a silent reply is an empty chat completion, streamed or not", async () => {
    await script("chat-silent", [{ text: "NO_REPLY", chunkSize: 2 }]);
    const body = { model: MODEL, messages: says("x") };
    const whole = await openai().chat.completions.create(body, by("chat-silent"));
    expect(whole.choices[0]?.message.content).toBe("");
    const stream = openai().chat.completions.stream(body, by("chat-silent"));
    expect(await stream.finalContent()).toBe("");
  });

  test("reasoning_effort sets the thinking level, and unsupported harmless parameters are ignored", async () => {
    await script("chat-params", [{ text: "ok" }]);
    await openai().chat.completions.create(
      {
        model: "openclaw:main",
        messages: says("x"),
        reasoning_effort: "high",
        temperature: 0.2,
        max_completion_tokens: 5,
        seed: 1,
        stop: ["x"],
        n: 1,
        tools: [],
        response_format: { type: "text" },
        metadata: { a: "b" },
      },
      by("chat-params"),
    );
    expect((await asked("chat-params"))[0]?.body).toMatchObject({ reasoning_effort: "high" });
  });
});

async function chunksOf(stream: AsyncIterable<ChatCompletionChunk>): Promise<ChatCompletionChunk[]> {
  const chunks: ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe("the agent's own tools", () => {
  const REPLIES = [
    { text: "Let me look.", calls: [{ name: "write", args: { path: "notes/fish.md", content: "Bubbles" } }] },
    { text: "It is called Bubbles." },
  ];

  test("the agent's tool calls are hidden, and the texts around them are the content", async () => {
    await script("chat-tools", REPLIES);
    const body = { model: MODEL, messages: says("My fish?") };
    const whole = await openai().chat.completions.create(body, by("chat-tools"));
    expect(whole.choices[0]?.message).toMatchObject({ content: "Let me look.\n\nIt is called Bubbles." });
    expect(whole.choices[0]?.message.tool_calls).toBeUndefined();
    expect(whole).not.toHaveProperty("isopod");
    await script("chat-tools", REPLIES);
    const chunks = await chunksOf(await openai().chat.completions.create({ ...body, stream: true }, by("chat-tools")));
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
    expect(text).toBe("Let me look.\n\nIt is called Bubbles.");
    expect(chunks.some((chunk) => "isopod" in chunk)).toBe(false);
  });

  test("x-isopod-tools shows the agent's tool calls, and never as tool_calls", async () => {
    await script("chat-shown", REPLIES);
    const body = { model: MODEL, messages: says("My fish?") };
    const headers = by("chat-shown", { "x-isopod-tools": "show" });
    const call = { tool: "write", arguments: { path: "notes/fish.md", content: "Bubbles" } };
    const whole = await openai().chat.completions.create(body, headers);
    expect(whole).toMatchObject({ isopod: { tools: [{ ...call, is_error: false, output: expect.any(String) }] } });
    expect(whole.choices[0]).toMatchObject({ finish_reason: "stop" });
    await script("chat-shown", REPLIES);
    const shown: object[] = [];
    const stream = openai().chat.completions.stream(body, headers);
    stream.on("chunk", (chunk) => "isopod" in chunk && shown.push(chunk.isopod as object));
    expect(await stream.finalContent()).toBe("Let me look.\n\nIt is called Bubbles.");
    expect(shown).toMatchObject([{ tool: call }, { tool: { ...call, output: expect.any(String) } }]);
    expect(shown[0]).not.toHaveProperty("tool.output");
    await script("chat-shown", REPLIES);
    const extension = { ...body, isopod: { tools: "show" } };
    const again = await openai().chat.completions.create(extension as typeof body, by("chat-shown"));
    expect(again).toMatchObject({ isopod: { tools: [call] } });
  });
});

describe("which session", () => {
  test("a user has a session of its own, to which only new messages are added", async () => {
    await script("chat-user", [{ text: "Noted." }, { text: "Mochi." }]);
    const user = "anna:7/ü";
    const first = says("My cat is called Mochi");
    await openai().chat.completions.create({ model: MODEL, messages: first, user }, by("chat-user"));
    const messages: ChatCompletionMessageParam[] = [
      ...first,
      { role: "assistant", content: "Noted." },
      { role: "user", content: "What is my" },
      { role: "user", content: "cat called?" },
    ];
    await openai().chat.completions.create({ model: MODEL, messages, user }, by("chat-user"));
    const history = await historyOf("agent:main:openai:direct:anna%3A7%2Fü");
    expect(history.messages.map((message) => message.text ?? message.role)).toEqual([
      "My cat is called Mochi",
      "assistant",
      "What is my\n\ncat called?",
      "assistant",
    ]);
  });

  test("two simultaneous requests of one user each follow their own instructions", async () => {
    const look = { calls: [{ name: "ls", args: {} }], delayMs: 300 };
    await script("chat-apart", [look, { text: "Oui." }, { text: "Ja." }]);
    const ask = (language: string) => {
      const messages: ChatCompletionMessageParam[] = [
        { role: "system", content: `Answer in ${language}.` },
        ...says(`Is it raining, in ${language}?`),
      ];
      return openai().chat.completions.create({ model: MODEL, messages, user: "apart" }, by("chat-apart"));
    };
    const first = ask("French");
    await waitFor(async () => (await asked("chat-apart")).length === 1);
    const answers = await Promise.all([first, ask("German")]);
    expect(answers.map(({ choices }) => choices[0]?.message.content)).toEqual(["Oui.", "Ja."]);
    const told = (await asked("chat-apart")).map(({ body }) => JSON.stringify(body.messages[0]));
    expect(told.map((system) => /Answer in (French|German)/.exec(system)?.[1])).toEqual(["French", "French", "German"]);
  });

  test("a header names the session, and the session names the agent where the model does not", async () => {
    await script("chat-header", [{ text: "ok" }]);
    const sessionKey = "agent:other:hook:chat-header";
    const headers = by("chat-header", { "x-isopod-session-key": sessionKey });
    const messages = says("To the other one");
    const completion = await openai().chat.completions.create({ model: "isopod", messages }, headers);
    expect(completion.model).toBe("isopod/other");
    expect((await historyOf(sessionKey)).messages[0]).toMatchObject({ text: "To the other one" });
    const wrong = await refusal(openai().chat.completions.create({ model: MODEL, messages }, headers));
    expect(wrong).toBeInstanceOf(OpenAI.BadRequestError);
    expect(wrong).toMatchObject({ param: "x-isopod-session-key" });
  });

  test("a request without user or session header has its own session with the earlier messages quoted", async () => {
    await script("chat-alone", [{ text: "Mochi." }]);
    const messages: ChatCompletionMessageParam[] = [
      { role: "system", content: "Answer in one word." },
      { role: "user", content: "My cat is called Mochi", name: "Anna" },
      { role: "assistant", content: "Noted." },
      { role: "developer", content: "No full stops." },
      { role: "user", content: [{ type: "text", text: "What is it called?" }] },
    ];
    await openai().chat.completions.create({ model: MODEL, messages }, by("chat-alone"));
    await openai().chat.completions.create({ model: MODEL, messages: says("And now?") }, by("chat-alone"));
    const [first, second] = await asked("chat-alone");
    const system = first?.body.messages.filter((message: any) => message.role === "system").at(-1).content;
    expect(system).toContain("Answer in one word.\n\nNo full stops.");
    const said = first?.body.messages.filter((message: any) => message.role === "user");
    expect(said).toHaveLength(1);
    expect(said[0].content).toMatch(/User \(Anna\): My cat is called Mochi\n\nYou: Noted\.\n\n\[.*\]\n\nWhat is it/);
    expect(JSON.stringify(second?.body)).not.toContain("Mochi");
  });
});

describe("images and files", () => {
  const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  test("an image in a message reaches the model and is stored in the workspace's inbox", async () => {
    await script("chat-image", [{ text: "A dot." }]);
    const url = `data:image/png;base64,${PNG}`;
    const content = [
      { type: "text" as const, text: "What is this?" },
      { type: "image_url" as const, image_url: { url } },
      { type: "file" as const, file: { file_data: `data:text/plain;base64,${btoa("hello")}`, filename: "a b.txt" } },
    ];
    await openai().chat.completions.create({ model: MODEL, messages: [{ role: "user", content }] }, by("chat-image"));
    const said = (await asked("chat-image"))[0]?.body.messages.at(-1).content;
    expect(said).toContainEqual({ type: "image_url", image_url: { url } });
    const { entries } = await (await call("GET", "/v1/agents/main/workspace?prefix=inbox")).json<{
      entries: { path: string; size: number }[];
    }>();
    const [image, file] = ["file.png", "a_b.txt"].map((name) => entries.find(({ path }) => path.endsWith(name)));
    expect([image?.size, file?.size]).toEqual([atob(PNG).length, 5]);
    expect(JSON.stringify(said)).toContain(image?.path);
    expect(JSON.stringify(said)).toContain(file?.path);
  });

  test("a file by URL or with invalid data is refused, naming its field", async () => {
    const refused = async (url: string) => {
      const content = [{ type: "image_url" as const, image_url: { url } }];
      return refusal(openai().chat.completions.create({ model: MODEL, messages: [{ role: "user", content }] }));
    };
    for (const url of ["https://example.com/a.png", "data:image/png;base64,%%%", "data:image/tiff;base64,AAAA", "x"]) {
      const error = await refused(url);
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error).toMatchObject({ param: "messages[0].content[0].image_url.url" });
    }
  });
});

describe("what is refused", () => {
  test("an unknown model, a wrong key and an invalid body are refused in OpenAI's shape", async () => {
    const unknown = await refusal(openai().chat.completions.create({ model: "gpt-4o", messages: says("x") }));
    expect(unknown).toBeInstanceOf(OpenAI.NotFoundError);
    expect(unknown).toMatchObject({ code: "model_not_found", param: "model" });
    const wrong = await refusal(
      openai({ apiKey: "no" }).chat.completions.create({ model: MODEL, messages: says("x") }),
    );
    expect(wrong).toBeInstanceOf(OpenAI.AuthenticationError);
    const broken = await call("POST", "/v1/chat/completions", "{nope");
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { type: "invalid_request_error" } }]);
    const large = await call("POST", "/v1/chat/completions", JSON.stringify("x".repeat(21 * 1024 * 1024)));
    expect([large.status, await large.json()]).toMatchObject([413, { error: { type: "invalid_request_error" } }]);
  });

  test("an unsupported chat parameter is refused by its name", async () => {
    const tool = { type: "function" as const, function: { name: "f", parameters: {} } };
    const wrong: [string, Record<string, unknown>][] = [
      ["n", { n: 2 }],
      ["tools[0].type", { tools: [{ type: "custom", custom: { name: "f" } }] }],
      ["tools[0].function.name", { tools: [{ ...tool, function: { name: "a tool" } }] }],
      ["tools[0].function.name", { tools: [{ ...tool, function: { name: "exec" } }] }],
      ["tools[1].function.name", { tools: [tool, tool] }],
      ["tool_choice", { tools: [tool], tool_choice: "sometimes" }],
      ["tool_choice", { tools: [tool], tool_choice: { type: "function", function: { name: "g" } } }],
      ["tool_choice", { tool_choice: "required" }],
      ["functions", { functions: [{ name: "f" }] }],
      ["response_format.type", { response_format: { type: "xml" } }],
      [
        "response_format.json_schema.schema",
        { response_format: { type: "json_schema", json_schema: { name: "x", schema: { $ref: "https://a.b/c" } } } },
      ],
      ["logprobs", { logprobs: true }],
      ["audio", { audio: { voice: "alloy", format: "mp3" } }],
      ["modalities[1]", { modalities: ["text", "audio"] }],
      ["messages", { messages: [] }],
      ["messages", { messages: [{ role: "assistant", content: "I speak last." }] }],
      ["messages[0].role", { messages: [{ role: "narrator", content: "x" }] }],
      ["reasoning_effort", { reasoning_effort: "very" }],
    ];
    for (const [param, more] of wrong) {
      const body = { model: MODEL, messages: says("x"), ...more };
      const error = await refusal(openai().chat.completions.create(body as OpenAI.ChatCompletionCreateParams));
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error).toMatchObject({ param, type: "invalid_request_error" });
    }
    await script("chat-no-tools", [{ text: "ok" }]);
    const body = { model: MODEL, messages: says("x"), tools: [tool], tool_choice: "none" as const };
    expect(await openai().chat.completions.create(body, by("chat-no-tools"))).toBeDefined();
  });

  test("a failed run is an error with its reason, and official clients do not retry it", async () => {
    await script("chat-fails", [{ status: 400, body: { error: { message: "The model is on strike." } } }]);
    const body = { model: MODEL, messages: says("x") };
    const error = await refusal(openai({ maxRetries: 2 }).chat.completions.create(body, by("chat-fails")));
    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    expect(error).toMatchObject({ status: 502, code: "model_error", type: "server_error" });
    expect(error.message).toContain("on strike");
    expect(await asked("chat-fails")).toHaveLength(1);
    const streamed = openai().chat.completions.stream(body, by("chat-fails"));
    const broken = await refusal(streamed.done());
    expect(broken).toBeInstanceOf(OpenAI.APIError);
    expect(broken.message).toContain("on strike");
  });
});

describe("a request that is made twice", () => {
  test("a repeated Idempotency-Key is one run, with a session and without", async () => {
    await script("chat-key", [{ text: "Once." }]);
    for (const user of ["keyed", undefined]) {
      const body = { model: MODEL, messages: says("x"), ...(user && { user }) };
      const headers = by("chat-key", { "Idempotency-Key": `key-${user}` });
      const [first, second] = await Promise.all([
        openai().chat.completions.create(body, headers),
        openai().chat.completions.create(body, headers),
      ]);
      const third = await openai().chat.completions.create(body, headers);
      expect([second, third]).toEqual([first, first]);
    }
    expect(await asked("chat-key")).toHaveLength(2);
    const other = { model: MODEL, messages: says("y") };
    const headers = by("chat-key", { "Idempotency-Key": "key-undefined" });
    const error = await refusal(openai({ maxRetries: 2 }).chat.completions.create(other, headers));
    expect(error).toBeInstanceOf(OpenAI.ConflictError);
    expect(error).toMatchObject({ code: "conflict", param: "idempotencyKey" });
    expect(error.headers?.get("x-should-retry")).toBe("false");
  });

  test("a client's own retry is one run, but the same request made twice is two", async () => {
    await script("chat-again", [{ text: "Yes." }]);
    for (const user of ["again", undefined]) {
      await script("chat-again", [{ text: "Yes." }]);
      const body = { model: MODEL, messages: says("Are you there?"), ...(user && { user }) };
      let lost = 1;
      const client = openai({
        maxRetries: 2,
        fetch: async (input, init) => {
          const { SELF } = await import("cloudflare:test");
          const response = await SELF.fetch(input as string, init as RequestInit);
          if (lost-- <= 0) return response;
          await response.text();
          throw new TypeError("The connection broke.");
        },
      });
      const once = await client.chat.completions.create(body, by("chat-again"));
      expect(await asked("chat-again")).toHaveLength(1);
      const twice = await client.chat.completions.create(body, by("chat-again"));
      expect(twice.id).not.toBe(once.id);
      expect(await asked("chat-again")).toHaveLength(2);
    }
  });

  test("a retry whose first attempt was lost is not taken for an equal request of another day", async () => {
    await script("chat-daily", [{ text: "Good morning." }]);
    const body = { model: MODEL, messages: says("Good morning!") };
    const send = async (tries: string) => {
      const headers = { "x-isopod-session-key": session("daily").sessionKey, "X-Stainless-Retry-Count": tries };
      const answer = await call("POST", "/v1/chat/completions", body, { ...by("chat-daily", headers).headers });
      return (await answer.json<OpenAI.ChatCompletion>()).id;
    };
    const yesterday = await send("0");
    expect(await send("1")).toBe(yesterday);
    await sql("daily", "update runs set accepted_at = accepted_at - 86400000");
    await evict("daily");
    const today = await send("1");
    expect(today).not.toBe(yesterday);
    expect(await send("2")).toBe(today);
    expect(await asked("chat-daily")).toHaveLength(2);
  });
});
