import { expect, test } from "vitest";
import { answerCheck, formatInstruction } from "../../src/models/answer-format.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more }) as never;

test("an answer becomes bare JSON, with or without a code fence", () => {
  const check = answerCheck({});
  for (const text of ['{"a":1}', ' {"a":1}\n', '```json\n{"a":1}\n```', '```\n{"a":1}\n```\n']) {
    expect(check(text)).toEqual({ json: '{"a":1}' });
  }
  for (const text of ["", "Sure!", "[1]", "1", 'Here: {"a":1}']) expect(check(text)).toHaveProperty("fault");
});

test("a schema is checked, with references, unions and closed objects", () => {
  const schema = {
    $defs: { city: object({ name: { type: "string" } }, { required: ["name"], additionalProperties: false }) },
    type: "object",
    properties: {
      places: { type: "array", items: { $ref: "#/$defs/city" }, minItems: 1 },
      note: { type: ["string", "null"] },
    },
    required: ["places", "note"],
  } as never;
  const check = answerCheck({ schema });
  expect(check('{"places":[{"name":"Paris"}],"note":null}')).toHaveProperty("json");
  for (const [json, fault] of [
    ['{"places":[],"note":null}', /places/],
    ['{"places":[{"name":1}],"note":null}', /places\[0\]\.name/],
    ['{"places":[{"name":"Paris","x":1}],"note":null}', /x/],
    ['{"places":[{"name":"Paris"}]}', /note/],
  ] as const) {
    expect(check(json)).toEqual({ fault: expect.stringMatching(fault) });
  }
});

test("regular expressions are not run, and properties may have the names of keywords", () => {
  const schema = object({ pattern: { type: "string", pattern: "^(a+)+$" }, enum: { enum: ["pattern"] } });
  const check = answerCheck({ schema });
  const begun = performance.now();
  expect(check(JSON.stringify({ pattern: `${"a".repeat(40)}!`, enum: "pattern" }))).toHaveProperty("json");
  expect(performance.now() - begun).toBeLessThan(1000);
  expect(check('{"pattern":1}')).toHaveProperty("fault");
  expect(check('{"enum":"other"}')).toHaveProperty("fault");
  const open = {
    type: "object",
    patternProperties: { "^x": { type: "number" } },
    additionalProperties: false,
  } as never;
  expect(answerCheck({ schema: open })('{"x1":1}')).toHaveProperty("json");
});

test("a schema that cannot be checked is refused when it is compiled", () => {
  expect(() => answerCheck({ schema: { $ref: "https://example.com/a" } })).toThrow(/ref/);
});

test("the model is told the schema", () => {
  expect(formatInstruction({ schema: object({ a: { type: "integer" } }) })).toContain('"a":{"type":"integer"}');
});
