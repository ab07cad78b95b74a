import { describe, expect, test } from "vitest";
import { asked, call, script } from "./client.ts";
import { openai, refusal } from "./openai-client.ts";

const MODEL = "isopod/main";

function by(scenario: string) {
  return { headers: { "x-isopod-model": `fake/${scenario}` } };
}

const schema = {
  type: "object",
  properties: { city: { type: "string", pattern: "^(a+)+$" }, degrees: { type: "integer" } },
  required: ["city", "degrees"],
  additionalProperties: false,
};
const FORMAT = { type: "json_schema" as const, json_schema: { name: "weather", strict: true, schema } };
const ASKED = { model: MODEL, messages: [{ role: "user" as const, content: "Paris?" }], response_format: FORMAT };
const GOOD = '{"city":"Paris","degrees":20}';

describe("an answer with a format", () => {
  test("a JSON schema reaches the model, and the answer is the bare JSON", async () => {
    const own = { name: "write", args: { path: "notes/weather.md", content: "Asked." } };
    await script("format-good", [{ text: "Let me look.", calls: [own] }, { text: `\`\`\`json\n${GOOD}\n\`\`\`` }]);
    const completion = await openai().chat.completions.parse(ASKED, by("format-good"));
    expect(completion.choices[0]?.message.content).toBe(GOOD);
    const { body } = (await asked("format-good"))[0]!;
    expect(body.response_format).toMatchObject({ type: "json_schema", json_schema: { name: "weather", strict: true } });
    expect(JSON.stringify(body.messages[0])).toContain("matches this JSON Schema");
    await script("format-good", [{ text: `\`\`\`json\n${GOOD}\n\`\`\``, chunkSize: 4 }]);
    const streamed = openai().chat.completions.stream(ASKED, by("format-good"));
    expect(await streamed.finalContent()).toBe(GOOD);
  });

  test("an answer that does not match is asked for once more, and only the good one is given", async () => {
    const bad = '{"city":"Paris"}';
    await script("format-again", [{ text: bad }, { text: GOOD }]);
    const { id, choices, usage } = await openai().chat.completions.create(ASKED, by("format-again"));
    expect(choices[0]?.message.content).toBe(GOOD);
    expect(usage?.total_tokens).toBe(30);
    const second = (await asked("format-again"))[1]!.body.messages;
    expect(second.slice(-2)).toMatchObject([
      { role: "assistant", content: bad },
      { role: "user", content: expect.stringMatching(/not the JSON that was asked for.*degrees/s) },
    ]);
    const run = await (await call("GET", `/v1/runs/run_${id.slice("chatcmpl-".length)}`)).json();
    expect(run).toMatchObject({ reply: GOOD });
    await script("format-again", [{ text: bad }, { text: GOOD }]);
    const streamed = openai().chat.completions.stream(ASKED, by("format-again"));
    expect(await streamed.finalContent()).toBe(GOOD);
  });

  test("an answer that does not match twice is an error that says what is wrong", async () => {
    await script("format-bad", [{ text: "It is 20 degrees." }, { text: '{"city":"Paris","degrees":"warm"}' }]);
    const error = await refusal(openai().chat.completions.create(ASKED, by("format-bad")));
    expect([error.status, error.code]).toEqual([502, "model_error"]);
    expect(error.message).toMatch(/format.*twice.*degrees/s);
    expect(await asked("format-bad")).toHaveLength(2);
  });

  test("json_object takes any object and nothing else", async () => {
    await script("format-object", [{ text: "[1]" }, { text: '{"a": [1]}' }]);
    const format = { type: "json_object" as const };
    const { choices } = await openai().chat.completions.create(
      { ...ASKED, response_format: format },
      by("format-object"),
    );
    expect(choices[0]?.message.content).toBe('{"a": [1]}');
    expect((await asked("format-object"))[0]!.body.response_format).toEqual(format);
  });

  test("a server that refuses the field is asked without it", async () => {
    const refused = { status: 400, body: { error: { message: "Unsupported field response_format" } } };
    await script("format-refused", [refused, { text: GOOD }]);
    const { choices } = await openai().chat.completions.create(ASKED, by("format-refused"));
    expect(choices[0]?.message.content).toBe(GOOD);
    expect((await asked("format-refused"))[1]!.body.response_format).toBeUndefined();
  });

  test("the output of a response has the format of text.format", async () => {
    await script("format-response", [{ text: "Sure!" }, { text: GOOD }]);
    const format = { type: "json_schema" as const, name: "weather", strict: true, schema };
    const body = { model: MODEL, input: "Paris?", text: { format } };
    const response = await openai().responses.parse(body, by("format-response"));
    expect(response).toMatchObject({ output_text: GOOD, output_parsed: { degrees: 20 }, text: { format } });
    expect(response.output).toHaveLength(1);
    expect((await openai().responses.retrieve(response.id)).output).toMatchObject([{ content: [{ text: GOOD }] }]);
  });
});
