import OpenAI from "openai";
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import { asked, call, env, finished, historyOf, script, waitFor } from "./client.ts";
import { openai, refusal } from "./openai-client.ts";
import { kill, session } from "./session-lab.ts";

const MODEL = "isopod/main";

/** What goes with a request so that a scenario of the fake model answers it. */
function by(scenario: string, headers: Record<string, string> = {}) {
  return { headers: { "x-isopod-model": `fake/${scenario}`, ...headers } };
}

async function eventsIn(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function runIdOf({ id }: Response): string {
  return `run_${id.slice("resp_".length)}`;
}

describe("a response", () => {
  test("a response has OpenAI's shape and its usage", async () => {
    const usage = { input: 100, output: 20, cacheRead: 30, reasoning: 5 };
    await script("resp-plain", [{ text: "Grüße, 世界 👋", usage }]);
    const request = { model: MODEL, input: "Hi", instructions: "Be brief.", metadata: { a: "b" } };
    const response = await openai().responses.create(request, by("resp-plain"));
    expect(response).toMatchObject({
      id: expect.stringMatching(/^resp_[0-9a-z]{52}$/),
      object: "response",
      status: "completed",
      model: "isopod/main",
      output_text: "Grüße, 世界 👋",
      output: [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text" }] }],
      instructions: "Be brief.",
      metadata: { a: "b" },
      error: null,
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 30 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 5 },
        total_tokens: 120,
      },
    });
    expect(JSON.stringify((await asked("resp-plain"))[0]?.body.messages)).toContain("Be brief.");
  });

  test("a response streams its events in OpenAI's order, numbered without a gap", async () => {
    await script("resp-stream", [{ text: "One two three.", chunkSize: 4, gapMs: 5 }]);
    const stream = await openai().responses.create({ model: MODEL, input: "x", stream: true }, by("resp-stream"));
    const events = await eventsIn(stream);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const types = events.map((event) => event.type);
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(types.filter((type) => type === "response.output_text.delta").length).toBeGreaterThan(2);
  });

  test("the official client accumulates a stream to the same response as is stored", async () => {
    await script("resp-accumulated", [
      { text: "Let me look.", calls: [{ name: "ls", args: { path: "" } }], chunkSize: 3 },
      { text: "There it is, 世界.", chunkSize: 3 },
    ]);
    const headers = by("resp-accumulated", { "x-isopod-tools": "show" });
    const stream = openai().responses.stream({ model: MODEL, input: "x" }, headers);
    const { output_parsed: _, ...response } = await stream.finalResponse();
    expect(response.output_text).toBe("Let me look.There it is, 世界.");
    const kept = await openai().responses.retrieve(response.id, {}, { headers: { "x-isopod-tools": "show" } });
    expect(JSON.parse(JSON.stringify(response))).toMatchObject(JSON.parse(JSON.stringify(kept)));
  });

  test("a response is incomplete where the model was cut off or refused", async () => {
    await script("resp-length", [{ text: "It goes on and", stop: "length" }]);
    await script("resp-refusal", [{ text: "No.", stop: "refusal" }]);
    const cut = await openai().responses.create({ model: MODEL, input: "x" }, by("resp-length"));
    expect(cut).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
    const stream = openai().responses.stream({ model: MODEL, input: "x" }, by("resp-refusal"));
    expect(await stream.finalResponse()).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "content_filter" },
    });
  });

  test("a failed response is an error, and the last event of a stream says so", async () => {
    await script("resp-fails", [{ status: 400, body: { error: { message: "The model is on strike." } } }]);
    const error = await refusal(openai().responses.create({ model: MODEL, input: "x" }, by("resp-fails")));
    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    expect(error).toMatchObject({ code: "model_error" });
    const stream = await openai().responses.create({ model: MODEL, input: "x", stream: true }, by("resp-fails"));
    const last = (await eventsIn(stream)).at(-1);
    expect(last).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "server_error", message: expect.stringContaining("on strike") } },
    });
  });

  test("a streamed response survives a restart of the object and ends with the final text", async () => {
    await script("resp-restart", [{ text: "One two three four", chunkSize: 4, gapMs: 100 }, { text: "Uno." }]);
    const headers = by("resp-restart", { "x-isopod-session-key": session("resp-restart").sessionKey });
    const stream = openai().responses.stream({ model: MODEL, input: "Count" }, headers);
    let killed: Promise<void> | undefined;
    stream.on("response.output_text.delta", ({ snapshot }) => {
      if (snapshot.includes("two")) killed ??= kill("resp-restart");
    });
    const response = await stream.finalResponse();
    await killed;
    expect(killed).toBeDefined();
    expect(response.output_text).toBe("Uno.");
  });
});

describe("what is shown beside the answer", () => {
  const REPLIES = [
    {
      reasoning: "A fish. ",
      text: "Let me see.",
      calls: [
        { name: "write", args: { path: "notes/fish.md", content: "Bubbles" } },
        { name: "read", args: { path: "no/such/file.md" } },
      ],
    },
    { reasoning: "Bubbles!", text: "It is called Bubbles." },
  ];

  test("a response has only one item per message by default", async () => {
    await script("resp-hidden", REPLIES);
    const response = await openai().responses.create({ model: MODEL, input: "My fish?" }, by("resp-hidden"));
    expect(response.output.map((item) => item.type)).toEqual(["message", "message"]);
  });

  test("x-isopod-tools shows the agent's tool calls as mcp_call items with their output", async () => {
    await script("resp-shown", REPLIES);
    const stream = openai().responses.stream(
      { model: MODEL, input: "My fish?" },
      by("resp-shown", { "x-isopod-tools": "show" }),
    );
    const types = new Set<string>();
    stream.on("event", (event) => types.add(event.type));
    const { output } = await stream.finalResponse();
    expect(output.map((item) => item.type)).toEqual(["message", "mcp_call", "mcp_call", "message"]);
    const args = JSON.stringify({ path: "notes/fish.md", content: "Bubbles" });
    expect(output[1]).toMatchObject({ name: "write", arguments: args, status: "completed", server_label: "isopod" });
    expect(output[1]).toMatchObject({ output: expect.any(String), error: null });
    expect(output[2]).toMatchObject({ name: "read", status: "failed", output: null });
    expect([...types]).toEqual(expect.arrayContaining(["response.mcp_call.completed", "response.mcp_call.failed"]));
  });

  test("reasoning.summary adds the reasoning as items", async () => {
    await script("resp-thoughts", REPLIES);
    const request = { model: MODEL, input: "My fish?", reasoning: { effort: "low", summary: "auto" } } as const;
    const stream = openai().responses.stream(request, by("resp-thoughts"));
    const response = await stream.finalResponse();
    expect(response.output.map((item) => item.type)).toEqual(["reasoning", "message", "reasoning", "message"]);
    expect(response.output[2]).toMatchObject({ summary: [{ type: "summary_text", text: "Bubbles!" }] });
    expect((await asked("resp-thoughts"))[0]?.body).toMatchObject({ reasoning_effort: "low" });
  });
});

describe("one response after another", () => {
  test("previous_response_id continues in the same session", async () => {
    await script("resp-chain", [{ text: "Noted." }, { text: "Mochi." }, { text: "Still Mochi." }]);
    const first = await openai().responses.create({ model: MODEL, input: "My cat is called Mochi" }, by("resp-chain"));
    const second = await openai().responses.create(
      { input: "What is it called?", previous_response_id: first.id },
      by("resp-chain"),
    );
    expect(second).toMatchObject({ model: "isopod/main", previous_response_id: first.id, output_text: "Mochi." });
    await openai().responses.create(
      { model: MODEL, input: [{ role: "user", content: "And now?" }], previous_response_id: second.id },
      by("resp-chain"),
    );
    const texts = (await asked("resp-chain"))[2]?.body.messages.slice(1).map((message: any) => message.content);
    expect(texts.slice(-5)).toEqual(["My cat is called Mochi", "Noted.", "What is it called?", "Mochi.", "And now?"]);
  });

  test("previous_response_id of an unknown response or of another agent is refused", async () => {
    await script("resp-alien", [{ text: "ok" }]);
    const alien = await openai().responses.create({ model: "isopod/other", input: "x" }, by("resp-alien"));
    for (const id of ["resp_1", `resp_${"0".repeat(52)}`, runIdOf(alien), alien.id]) {
      const request = { model: MODEL, input: "x", previous_response_id: id };
      const error = await refusal(openai().responses.create(request));
      expect(error).toBeInstanceOf(OpenAI.BadRequestError);
      expect(error).toMatchObject({ param: "previous_response_id" });
    }
  });

  test("a user's session needs no previous_response_id, and earlier items are quoted only in a new session", async () => {
    await script("resp-user", [{ text: "ok" }]);
    const input = [
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "input_text", text: "I am Anna" }] },
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hi Anna", annotations: [] }],
      },
      { type: "reasoning", id: "rs_1", summary: [] },
      { role: "user", content: "Who am I?" },
    ] as OpenAI.Responses.ResponseInput;
    await openai().responses.create({ model: MODEL, input, user: "anna" }, by("resp-user"));
    await openai().responses.create({ model: MODEL, input }, by("resp-user"));
    const [known, unknown] = (await asked("resp-user")).map(({ body }) => body.messages.at(-1).content);
    expect(known).toBe("Who am I?");
    expect(unknown).toMatch(/User: I am Anna\n\nYou: Hi Anna\n\n\[.*\]\n\nWho am I\?$/);
    expect((await historyOf("agent:main:openai:direct:anna")).messages[0]).toMatchObject({ text: "Who am I?" });
  });

  test("an image in the input reaches the model", async () => {
    await script("resp-image", [{ text: "A dot." }]);
    const image_url = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
    const content = [
      { type: "input_text" as const, text: "What is this?" },
      { type: "input_image" as const, image_url, detail: "auto" as const },
    ];
    await openai().responses.create({ model: MODEL, input: [{ role: "user", content }] }, by("resp-image"));
    const said = (await asked("resp-image"))[0]?.body.messages.at(-1).content;
    expect(said).toContainEqual({ type: "image_url", image_url: { url: image_url } });
  });
});

describe("a response that was made", () => {
  test("a stored response can be read and streamed again", async () => {
    await script("resp-read", [{ text: "Once.", usage: { input: 7, output: 2 } }]);
    const made = await openai().responses.create({ model: MODEL, input: "x" }, by("resp-read"));
    const read = await openai().responses.retrieve(made.id);
    expect(read).toEqual(made);
    const events = await eventsIn(await openai().responses.retrieve(made.id, { stream: true }));
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { output: made.output } });
    expect(await asked("resp-read")).toHaveLength(1);
  });

  test("a background response is answered at once, can be followed, and ends by itself", async () => {
    await script("resp-background", [{ text: "Late, but here.", delayMs: 300, chunkSize: 4 }]);
    const request = { model: MODEL, input: "x", background: true };
    const begun = await openai().responses.create(request, by("resp-background"));
    expect(["queued", "in_progress"]).toContain(begun.status);
    expect(begun.output).toEqual([]);
    const followed = openai().responses.stream({ response_id: begun.id });
    expect((await followed.finalResponse()).output_text).toBe("Late, but here.");
    expect(await openai().responses.retrieve(begun.id)).toMatchObject({ status: "completed" });
  });

  test("a response can be cancelled", async () => {
    await script("resp-cancel", [{ hang: true }]);
    const begun = await openai().responses.create({ model: MODEL, input: "x", background: true }, by("resp-cancel"));
    await waitFor(async () => (await asked("resp-cancel")).length === 1);
    expect(await openai().responses.cancel(begun.id)).toMatchObject({ id: begun.id, status: "cancelled" });
    expect(await openai().responses.retrieve(begun.id)).toMatchObject({ status: "cancelled" });
  });

  test("deleting a response deletes its session, unless that is a user's", async () => {
    await script("resp-delete", [{ text: "ok" }]);
    const made = await openai().responses.create({ model: MODEL, input: "x" }, by("resp-delete"));
    await openai().responses.delete(made.id);
    expect(await refusal(openai().responses.retrieve(made.id))).toBeInstanceOf(OpenAI.NotFoundError);
    const kept = await openai().responses.create({ model: MODEL, input: "x", user: "keeps" }, by("resp-delete"));
    expect(await refusal(openai().responses.delete(kept.id))).toBeInstanceOf(OpenAI.BadRequestError);
    expect(await openai().responses.retrieve(kept.id)).toMatchObject({ status: "completed" });
  });

  test("a response's session expires after 30 days, or after ten minutes with store false", async () => {
    await script("resp-store", [{ text: "ok" }]);
    const lingers = async (store: boolean) => {
      const made = await openai().responses.create({ model: MODEL, input: "x", store }, by("resp-store"));
      const { sessionKey } = await (await call("GET", `/v1/runs/${runIdOf(made)}`)).json<{ sessionKey: string }>();
      const { objectNameOf } = await import("../../src/config/session-ids.ts");
      const { runInDurableObject } = await import("cloudflare:test");
      const stub = env.SESSIONS.getByName(await objectNameOf(sessionKey));
      return runInDurableObject(stub, (_, { storage }) => {
        const row = storage.sql.exec("select settings from session").one();
        return JSON.parse(String(row.settings)).lingerMs;
      });
    };
    expect(await lingers(true)).toBe(30 * 86_400_000);
    expect(await lingers(false)).toBe(600_000);
  });
});

describe("what is refused", () => {
  test("an unsupported responses parameter is refused by its name", async () => {
    const wrong: [string, Record<string, unknown>][] = [
      ["tools[0].type", { tools: [{ type: "web_search" }] }],
      ["tools[0].name", { tools: [{ type: "function", name: "message", parameters: {}, strict: true }] }],
      ["tool_choice", { tool_choice: { type: "function", name: "f" } }],
      ["text.format.schema", { text: { format: { type: "json_schema", name: "x", schema: { not: { const: 1 } } } } }],
      ["conversation", { conversation: "conv_1" }],
      ["prompt", { prompt: { id: "pmpt_1" } }],
      ["input", { input: "" }],
      ["input", { input: [] }],
      ["input[0].type", { input: [{ type: "computer_call_output", call_id: "x" }] }],
      [
        "input[0].content[0].image_url",
        { input: [{ role: "user", content: [{ type: "input_image", file_id: "f" }] }] },
      ],
      [
        "input[0].content[0].image_url",
        { input: [{ role: "user", content: [{ type: "input_image", image_url: "https://example.com/a.png" }] }] },
      ],
      ["reasoning.effort", { reasoning: { effort: "very" } }],
    ];
    for (const [param, more] of wrong) {
      const error = await refusal(openai().responses.create({ model: MODEL, input: "x", ...more } as never));
      expect([param, error.status, error.param]).toEqual([param, 400, param]);
    }
    const after = await refusal(openai().responses.retrieve("resp_1", { stream: true, starting_after: 3 }));
    expect(after).toMatchObject({ param: "starting_after" });
    expect(await refusal(openai().responses.retrieve("resp_1"))).toBeInstanceOf(OpenAI.NotFoundError);
    const unknown = openai().responses.create({ model: "gpt-4o", input: "x" });
    expect(await refusal(unknown)).toBeInstanceOf(OpenAI.NotFoundError);
    const wrongKey = openai({ apiKey: "no" }).responses.create({ model: MODEL, input: "x" });
    expect(await refusal(wrongKey)).toBeInstanceOf(OpenAI.AuthenticationError);
  });

  test("a response request repeated under one key is one run", async () => {
    await script("resp-key", [{ text: "Once." }]);
    const headers = by("resp-key", { "Idempotency-Key": "resp-key" });
    const first = await openai().responses.create({ model: MODEL, input: "x" }, headers);
    expect(await openai().responses.create({ model: MODEL, input: "x" }, headers)).toEqual(first);
    expect(await asked("resp-key")).toHaveLength(1);
  });

  test("disconnecting from a stream stops its run, unless it is in the background", async () => {
    await script("resp-hang", [{ text: "One two three four", chunkSize: 4, gapMs: 100 }]);
    for (const background of [false, true]) {
      const request = { model: MODEL, input: "x", stream: true as const, background };
      const { data, request_id } = await openai().responses.create(request, by("resp-hang")).withResponse();
      for await (const event of data) if (event.type === "response.output_text.delta") break;
      expect([background, (await finished(request_id ?? "")).status]).toEqual([
        background,
        background ? "ok" : "aborted",
      ]);
    }
  });
});
