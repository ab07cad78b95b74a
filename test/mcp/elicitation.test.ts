import { describe, expect, test } from "vitest";
import { answerIn, Elicitation } from "../../src/mcp/elicitation.ts";

const listed = (parameters = {}) => ({
  tool: "count",
  name: "mcp_pier_count",
  description: "",
  parameters,
  digest: "",
});

/** A form with these fields, all required. */
function form(message: string, ...fields: string[]): Parameters<Elicitation["answer"]>[0] {
  const properties = Object.fromEntries(fields.map((name) => [name, { type: "string" as const }]));
  return { mode: "form", message, requestedSchema: { type: "object", properties, required: fields } };
}

describe("an answer is separated from the arguments", () => {
  test("and is not sent as one", () => {
    const args = { pier: "north", elicitation_answer: { word: "lantern" } };
    expect(answerIn(args, listed())).toEqual({ args: { pier: "north" }, answer: { word: "lantern" } });
    expect(answerIn({ pier: "north", elicitation_answer: null }, listed())).toEqual({ args: { pier: "north" } });
  });

  test.each(["lantern", ["lantern"], 7, { word: { inner: "lantern" } }, { word: "x".repeat(5000) }])(
    "and one that is no form is never sent, and explained (%#)",
    (answer) => {
      const { args, fault } = answerIn({ pier: "north", elicitation_answer: answer }, listed());
      expect(args).toEqual({ pier: "north" });
      expect(fault).toMatch(/^elicitation_answer: /);
    },
  );

  test("where the tool has a parameter of that name, it is that", () => {
    const own = listed({ type: "object", properties: { elicitation_answer: { type: "string" } } });
    const args = { elicitation_answer: { word: "lantern" } };
    expect(answerIn(args, own)).toEqual({ args });
    expect(answerIn(args, listed({ properties: "none" })).args).toEqual({});
  });
});

describe("what a person allowed reaches only the question that it fits", () => {
  test("one question gets it, once", () => {
    const elicitation = new Elicitation({ word: "lantern" });
    expect(elicitation.answer(form("Which word?", "word"))).toEqual({ action: "accept", content: { word: "lantern" } });
    expect(elicitation.answer(form("Delete all?", "word"))).toEqual({ action: "cancel" });
    expect(elicitation.unanswered).toContain("Delete all?");
    expect(elicitation.unanswered).not.toContain("Which word?");
  });

  test("a question with other fields does not get it", () => {
    const elicitation = new Elicitation({ age: "7" });
    expect(elicitation.answer(form("Who?", "name"))).toEqual({ action: "cancel" });
    expect(elicitation.answer(form("Delete all?"))).toEqual({ action: "cancel" });
    expect(elicitation.answer(form("How old?", "age"))).toEqual({ action: "accept", content: { age: "7" } });
  });

  test("several questions get their fields of it", () => {
    const elicitation = new Elicitation({ name: "Mia", age: "7" });
    expect(elicitation.answer(form("Who?", "name"))).toEqual({ action: "accept", content: { name: "Mia" } });
    expect(elicitation.answer(form("How old?", "age"))).toEqual({ action: "accept", content: { age: "7" } });
    expect(elicitation.unanswered).toBeUndefined();
  });

  test("a question without fields gets an empty one, once", () => {
    const elicitation = new Elicitation({});
    expect(elicitation.answer(form("Go on?"))).toEqual({ action: "accept", content: {} });
    expect(elicitation.answer(form("Delete all?"))).toEqual({ action: "cancel" });
  });

  test("a request that is handled twice gets the same answer twice", () => {
    const elicitation = new Elicitation({ word: "lantern" });
    const first = elicitation.answer(form("Which word?", "word"), 1);
    expect(elicitation.answer(form("Which word?", "word"), 1)).toBe(first);
    expect(elicitation.answer(form("Which word?", "word"), 2)).toEqual({ action: "cancel" });
  });
});

test("questions are bounded, say what is left out, and one that is asked again is shown once", () => {
  const elicitation = new Elicitation(undefined);
  for (let round = 0; round < 10; round++) elicitation.answer(form("Who?", "name"));
  expect(elicitation.unanswered).toBe('The server asks: Who?\nFields: {"name":{"type":"string"}}\nRequired: ["name"]');
  for (let number = 0; number < 9; number++) elicitation.answer(form(`${number}${"x".repeat(50_000)}`, "name"));
  const { unanswered = "" } = elicitation;
  expect(unanswered.length).toBeLessThan(40_000);
  expect(unanswered).toContain("[The first 2000 of 50001 characters.]");
  expect(unanswered).toContain("[5 more questions are not shown.]");
});
