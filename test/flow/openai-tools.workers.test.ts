import type OpenAI from "openai";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources";
import { describe, expect, test } from "vitest";
import { TOOL_NAMES } from "../../src/tools/tool-names.ts";
import { asked, call, historyOf, script, waitFor } from "./client.ts";
import { openai, refusal } from "./openai-client.ts";
import { evict, session } from "./session-lab.ts";

const MODEL = "isopod/main";

function by(scenario: string, headers: Record<string, string> = {}) {
  return { headers: { "x-isopod-model": `fake/${scenario}`, ...headers } };
}

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const WEATHER: ChatCompletionTool = {
  type: "function",
  function: { name: "get_weather", description: "The weather now.", parameters },
};
const WEATHER_RESPONSES = { type: "function" as const, strict: false, ...WEATHER.function, parameters };

const QUESTION: ChatCompletionMessageParam = { role: "user", content: "How is Paris?" };
const CALL = { name: "get_weather", args: { city: "Paris" }, id: "call_paris" };

/** The calls of a completion as a client sends them back, with its results. */
function answered(completion: OpenAI.ChatCompletion, results: string[]): ChatCompletionMessageParam[] {
  const message = completion.choices[0]!.message;
  const tools = (message.tool_calls ?? []).map(({ id }, at) => {
    return { role: "tool" as const, tool_call_id: id, content: results[at] ?? "" };
  });
  return [message, ...tools];
}

function roles(body: { messages: { role: string }[] }): string[] {
  return body.messages.map(({ role }) => role).filter((role) => role !== "system");
}

describe("a client's tools in a chat", () => {
  test("the names of the agent's own tools are those that clients may not use", async () => {
    await script("tool-names", [{ text: "ok" }]);
    await openai().chat.completions.create({ model: MODEL, messages: [QUESTION] }, by("tool-names"));
    const offered: string[] = (await asked("tool-names"))[0]!.body.tools.map((tool: any) => tool.function.name);
    expect(offered.filter((name) => !TOOL_NAMES.has(name))).toEqual([]);
  });

  test("a client's tool is offered beside the agent's own, and its call ends the completion", async () => {
    await script("tool-call", [{ text: "Let me see.", calls: [CALL] }]);
    const body = { model: MODEL, messages: [QUESTION], tools: [WEATHER] };
    const whole = await openai().chat.completions.create(body, by("tool-call"));
    expect(whole.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "Let me see.",
        tool_calls: [
          { id: "call_paris", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } },
        ],
      },
    });
    const names = (await asked("tool-call"))[0]!.body.tools.map((tool: any) => tool.function.name);
    expect(names).toContain("read");
    expect(names.at(-1)).toBe("get_weather");
    const streamed = openai().chat.completions.stream(body, by("tool-call"));
    expect((await streamed.finalChatCompletion()).choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: "Let me see.", tool_calls: [{ function: { arguments: '{"city":"Paris"}' } }] },
    });
  });

  test("without a user, the result goes on from the messages of the request", async () => {
    await script("tool-stateless", [{ calls: [CALL] }, { text: "Sunny." }]);
    const earlier: ChatCompletionMessageParam[] = [
      { role: "user", content: "I live in France." },
      { role: "assistant", content: "Noted." },
    ];
    const body = { model: MODEL, messages: [...earlier, QUESTION], tools: [WEATHER] };
    const first = await openai().chat.completions.create(body, by("tool-stateless"));
    expect(first.choices[0]?.message.content).toBeNull();
    const messages = [...body.messages, ...answered(first, ["20 degrees"])];
    const second = await openai().chat.completions.create({ ...body, messages }, by("tool-stateless"));
    expect(second.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "Sunny." } });
    const sent = (await asked("tool-stateless"))[1]!.body;
    expect(roles(sent)).toEqual(["user", "assistant", "tool"]);
    expect(sent.messages.at(-3).content).toMatch(/I live in France.*How is Paris\?/s);
    expect(sent.messages.slice(-2)).toMatchObject([
      { tool_calls: [{ id: "call_paris", function: { name: "get_weather", arguments: '{"city":"Paris"}' } }] },
      { tool_call_id: "call_paris", content: "20 degrees" },
    ]);
  });

  test("several rounds, and words after a result, reach the model in order", async () => {
    await script("tool-rounds", [{ text: "Done." }]);
    const round = (id: string): ChatCompletionMessageParam[] => [
      {
        role: "assistant",
        tool_calls: [{ id, type: "function", function: { name: "get_weather", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: id, content: `Result of ${id}` },
    ];
    const messages = [QUESTION, ...round("call_1"), ...round("call_2"), { role: "user" as const, content: "Hurry!" }];
    await openai().chat.completions.create({ model: MODEL, messages, tools: [WEATHER] }, by("tool-rounds"));
    const sent = (await asked("tool-rounds"))[0]!.body;
    expect(roles(sent)).toEqual(["user", "assistant", "tool", "assistant", "tool", "user"]);
    expect(sent.messages.at(-1).content).toContain("Hurry!");
  });

  test("a user's session keeps the call, and only the result is needed", async () => {
    await script("tool-user", [{ calls: [CALL] }, { text: "Sunny." }, { text: "You are welcome." }]);
    const body = { model: MODEL, user: "tool-user", tools: [WEATHER] };
    const { create } = openai().chat.completions;
    const say = (messages: ChatCompletionMessageParam[]) =>
      create.call(openai().chat.completions, { ...body, messages }, by("tool-user")) as Promise<OpenAI.ChatCompletion>;
    await say([QUESTION]);
    const result = { role: "tool" as const, tool_call_id: "call_paris", content: "20 degrees" };
    expect((await say([result])).choices[0]?.message.content).toBe("Sunny.");
    expect((await say([{ role: "user", content: "Thanks" }])).choices[0]?.message.content).toBe("You are welcome.");
    const sent = (await asked("tool-user")).map(({ body: one }) => roles(one));
    expect(sent).toEqual([["user"], ["user", "assistant", "tool"], ["user", "assistant", "tool", "assistant", "user"]]);
    const again = await refusal(say([result]));
    expect([again.status, again.code, again.message]).toMatchObject([
      409,
      "duplicate_tool_output",
      expect.stringContaining("call_paris"),
    ]);
    expect(again.headers?.get("x-should-retry")).toBe("false");
    const unknown = await refusal(say([{ ...result, tool_call_id: "call_rome" }]));
    expect([unknown.status, unknown.code]).toEqual([400, "unknown_tool_call"]);
    expect(unknown.message).toContain("call_rome");
    expect(await asked("tool-user")).toHaveLength(3);
  });

  test("an open call survives a restart of the session's object", async () => {
    await script("tool-restart", [{ calls: [CALL] }, { text: "Sunny." }]);
    const headers = by("tool-restart", { "x-isopod-session-key": session("tool-restart").sessionKey });
    const body = { model: MODEL, tools: [WEATHER] };
    const first = await openai().chat.completions.create({ ...body, messages: [QUESTION] }, headers);
    await evict("tool-restart");
    const messages = [QUESTION, ...answered(first, ["20 degrees"])];
    const second = await openai().chat.completions.create({ ...body, messages }, headers);
    expect(second.choices[0]?.message.content).toBe("Sunny.");
    expect(roles((await asked("tool-restart"))[1]!.body)).toEqual(["user", "assistant", "tool"]);
  });

  test("parallel calls are answered together, and one that is left out is named", async () => {
    const calls = [CALL, { ...CALL, id: "call_rome", args: { city: "Rome" } }];
    await script("tool-parallel", [{ calls }, { text: "Both sunny." }]);
    for (const user of ["tool-parallel", undefined]) {
      await script("tool-parallel", [{ calls }, { text: "Both sunny." }]);
      const body = { model: MODEL, tools: [WEATHER], ...(user && { user }) };
      const first = await openai().chat.completions.create({ ...body, messages: [QUESTION] }, by("tool-parallel"));
      const [message, ...results] = answered(first, ["20", "30"]);
      const wrong: [string, ChatCompletionMessageParam[]][] = [
        ["call_rome", [QUESTION, message!, results[0]!]],
        ["call_paris", [QUESTION, message!, ...results, results[0]!]],
        ["call_oslo", [QUESTION, message!, ...results, { ...results[0]!, tool_call_id: "call_oslo" } as never]],
      ];
      for (const [named, messages] of wrong) {
        const error = await refusal(openai().chat.completions.create({ ...body, messages }, by("tool-parallel")));
        expect([user, error.status, error.message]).toEqual([user, 400, expect.stringContaining(named)]);
      }
      const messages = [QUESTION, message!, ...results];
      const second = await openai().chat.completions.create({ ...body, messages }, by("tool-parallel"));
      expect(second.choices[0]?.message.content).toBe("Both sunny.");
      expect((await asked("tool-parallel"))[1]!.body.messages.slice(-2)).toMatchObject([
        { tool_call_id: "call_paris", content: "20" },
        { tool_call_id: "call_rome", content: "30" },
      ]);
    }
  });

  test("a new message instead of the result is answered, and a late result is not lost", async () => {
    await script("tool-late", [{ calls: [CALL] }, { text: "Fine." }, { text: "Sunny, then." }]);
    const body = { model: MODEL, user: "tool-late", tools: [WEATHER] };
    await openai().chat.completions.create({ ...body, messages: [QUESTION] }, by("tool-late"));
    const other = [{ role: "user" as const, content: "Never mind." }];
    const second = await openai().chat.completions.create({ ...body, messages: other }, by("tool-late"));
    expect(second.choices[0]?.message.content).toBe("Fine.");
    const late = [{ role: "tool" as const, tool_call_id: "call_paris", content: "20 degrees" }];
    const third = await openai().chat.completions.create({ ...body, messages: late }, by("tool-late"));
    expect(third.choices[0]?.message.content).toBe("Sunny, then.");
    const sent = (await asked("tool-late"))[2]!.body;
    expect(roles(sent)).toEqual(["user", "assistant", "tool", "user", "assistant", "user"]);
    expect(sent.messages.at(-1).content).toContain("20 degrees");
  });

  test("the agent's own calls in the same reply are run before the client gets its own", async () => {
    const own = { name: "write", args: { path: "notes/paris.md", content: "Asked." } };
    await script("tool-mixed", [{ calls: [CALL, own] }, { text: "Sunny." }]);
    const body = { model: MODEL, messages: [QUESTION], tools: [WEATHER], user: "tool-mixed" };
    const first = await openai().chat.completions.create(body, by("tool-mixed"));
    expect(first.choices[0]?.message.tool_calls?.map(({ id }) => id)).toEqual(["call_paris"]);
    const file = await call("GET", "/v1/agents/main/workspace/notes/paris.md");
    expect(await file.text()).toBe("Asked.");
    const messages = [{ role: "tool" as const, tool_call_id: "call_paris", content: "20 degrees" }];
    await openai().chat.completions.create({ ...body, messages }, by("tool-mixed"));
    const results = (await asked("tool-mixed"))[1]!.body.messages.slice(-2);
    expect(results.map((message: any) => message.role)).toEqual(["tool", "tool"]);
    expect(results.map((message: any) => message.content)).toContain("20 degrees");
  });

  test("arguments that are no JSON go back to the model, not to the client", async () => {
    await script("tool-torn", [{ calls: [{ ...CALL, args: '{"city": ' }] }, { calls: [{ ...CALL, id: "call_2" }] }]);
    const body = { model: MODEL, messages: [QUESTION], tools: [WEATHER] };
    const completion = await openai().chat.completions.create(body, by("tool-torn"));
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([
      { id: "call_2", function: { arguments: '{"city":"Paris"}' } },
    ]);
  });

  test("tool_choice reaches the model, and none offers no tool of the client's", async () => {
    await script("tool-choice", [{ text: "ok" }]);
    const choices = ["required", { type: "function", function: { name: "get_weather" } }, "auto", "none"] as const;
    for (const tool_choice of choices) {
      const body = { model: MODEL, messages: [QUESTION], tools: [WEATHER], tool_choice };
      await openai().chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming, by("tool-choice"));
    }
    const sent = (await asked("tool-choice")).map(({ body }) => body);
    expect(sent.map(({ tool_choice }) => tool_choice ?? "auto")).toEqual([choices[0], choices[1], "auto", "auto"]);
    const offers = sent.map(({ tools }) => tools.some((tool: any) => tool.function.name === "get_weather"));
    expect(offers).toEqual([true, true, true, false]);
  });

  test("a client's own retry of a result is one run", async () => {
    await script("tool-retry", [{ calls: [CALL] }, { text: "Sunny." }]);
    const body = { model: MODEL, user: "tool-retry", tools: [WEATHER] };
    await openai().chat.completions.create({ ...body, messages: [QUESTION] }, by("tool-retry"));
    const result = { ...body, messages: [{ role: "tool", tool_call_id: "call_paris", content: "20" }] };
    const send = (tries: string) =>
      call("POST", "/v1/chat/completions", result, { ...by("tool-retry").headers, "X-Stainless-Retry-Count": tries });
    const first = await (await send("0")).json();
    expect(await (await send("1")).json()).toEqual(first);
    expect(await asked("tool-retry")).toHaveLength(2);
  });

  test("an abandoned session of one request with an open call takes no other request's result", async () => {
    await script("tool-lost", [{ calls: [CALL] }]);
    await openai().chat.completions.create({ model: MODEL, messages: [QUESTION], tools: [WEATHER] }, by("tool-lost"));
    const alone: ChatCompletionMessageParam[] = [{ role: "tool", tool_call_id: "call_paris", content: "20" }];
    const error = await refusal(
      openai().chat.completions.create({ model: MODEL, messages: alone, tools: [WEATHER] }, by("tool-lost")),
    );
    expect([error.status, error.param]).toEqual([400, "messages"]);
  });

  test("people see that results came, and the transcript has them as results", async () => {
    await script("tool-shown", [{ calls: [CALL] }, { text: "Sunny." }]);
    const { sessionKey } = session("tool-shown");
    const headers = by("tool-shown", { "x-isopod-session-key": sessionKey });
    const body = { model: MODEL, tools: [WEATHER] };
    await openai().chat.completions.create({ ...body, messages: [QUESTION] }, headers);
    const messages = [{ role: "tool" as const, tool_call_id: "call_paris", content: "20 degrees" }];
    await openai().chat.completions.create({ ...body, messages }, headers);
    const history = await historyOf(sessionKey);
    expect(history.messages).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "tool", tool: "get_weather", text: "20 degrees", isError: false },
      { role: "user", text: "[Results: get_weather]", aside: true },
      { role: "assistant" },
    ]);
  });
});

describe("a client's tools in responses", () => {
  test("a call is a function_call item, and its output goes on with previous_response_id", async () => {
    await script("resp-call", [{ text: "One moment.", calls: [CALL] }, { text: "Sunny." }]);
    const body = { model: MODEL, tools: [WEATHER_RESPONSES] };
    const first = await openai().responses.create({ ...body, input: "How is Paris?" }, by("resp-call"));
    const item = { type: "function_call", call_id: "call_paris", name: "get_weather", arguments: '{"city":"Paris"}' };
    expect(first).toMatchObject({
      status: "completed",
      tools: [{ type: "function", name: "get_weather" }],
      output: [{ type: "message" }, { ...item, status: "completed" }],
    });
    const stored = await openai().responses.retrieve(first.id);
    expect(stored.output).toEqual(first.output);
    const output = { type: "function_call_output" as const, call_id: "call_paris", output: "20 degrees" };
    const next = { ...body, previous_response_id: first.id, input: [output] };
    const second = await openai().responses.create(next, by("resp-call"));
    expect(second.output_text).toBe("Sunny.");
    expect((await asked("resp-call"))[1]!.body.messages.at(-1)).toMatchObject({ role: "tool", content: "20 degrees" });
    const twice = await refusal(openai().responses.create(next, by("resp-call")));
    expect([twice.status, twice.code]).toEqual([409, "duplicate_tool_output"]);
  });

  test("a streamed call comes with events that the official client accumulates", async () => {
    await script("resp-call-stream", [{ calls: [CALL] }]);
    const body = { model: MODEL, tools: [WEATHER_RESPONSES], input: "How is Paris?" };
    const stream = openai().responses.stream(body, by("resp-call-stream"));
    const types: string[] = [];
    stream.on("event", ({ type }) => types.push(type));
    const response = await stream.finalResponse();
    expect(response.output).toMatchObject([{ type: "function_call", arguments: '{"city":"Paris"}' }]);
    expect(types).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  test("without a previous response, the items of the input carry the call and its output", async () => {
    await script("resp-items", [{ calls: [CALL] }, { text: "Sunny." }]);
    const body = { model: MODEL, tools: [WEATHER_RESPONSES], store: false };
    const question = { role: "user" as const, content: "How is Paris?" };
    const first = await openai().responses.create({ ...body, input: [question] }, by("resp-items"));
    const output = { type: "function_call_output" as const, call_id: "call_paris", output: "20 degrees" };
    const input = [question, ...(first.output as OpenAI.Responses.ResponseInputItem[]), output];
    const second = await openai().responses.create({ ...body, input }, by("resp-items"));
    expect(second.output_text).toBe("Sunny.");
    expect(roles((await asked("resp-items"))[1]!.body)).toEqual(["user", "assistant", "tool"]);
  });

  test("a background response with a call can be read when it is done", async () => {
    await script("resp-call-later", [{ calls: [CALL] }]);
    const body = { model: MODEL, tools: [WEATHER_RESPONSES], input: "How is Paris?", background: true };
    const { id } = await openai().responses.create(body, by("resp-call-later"));
    await waitFor(async () => (await openai().responses.retrieve(id)).status === "completed");
    expect((await openai().responses.retrieve(id)).output).toMatchObject([{ call_id: "call_paris" }]);
  });
});
