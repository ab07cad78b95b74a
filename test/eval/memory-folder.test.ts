import { describe, expect, test } from "vitest";
import { isPart, QUESTIONS_FILE, readFolder } from "./memory-folder.ts";

const NOTE = "# Monday\n\nThe kettle is blue.\nThe cat is grey.\n";

function folder(questions: object[] | string, more: Record<string, string> = {}) {
  const lines = typeof questions === "string" ? questions : questions.map((one) => JSON.stringify(one)).join("\n");
  return readFolder(new Map(Object.entries({ [QUESTIONS_FILE]: lines, "ada/memory/monday.md": NOTE, ...more })));
}

const asked = { conv: "ada", query: "What colour is the kettle?", category_name: "colour" };

describe("a folder", () => {
  test("gives each conversation its notes and its questions", () => {
    const { sets, withoutEvidence } = folder(
      [
        { ...asked, evidence: ["memory/monday.md#L3"] },
        { ...asked, conv: "bob", evidence: ["memory/trips/sea.md#L1"] },
        { ...asked, evidence: [] },
      ],
      { "ada/MEMORY.md": "Lasts.", "bob/memory/trips/sea.md": "Salt.", "bob/memory/photo.png": "no text" },
    );
    expect(sets.map(({ name, files }) => [name, [...files.keys()]])).toEqual([
      ["ada", ["memory/monday.md", "MEMORY.md"]],
      ["bob", ["memory/trips/sea.md"]],
    ]);
    expect(sets[0]?.questions).toEqual([
      { query: asked.query, category: "colour", evidence: [{ path: "memory/monday.md", line: 3 }] },
    ]);
    expect(withoutEvidence).toBe(1);
  });

  test("asks for the same line of evidence once", () => {
    const { sets } = folder([{ ...asked, evidence: ["memory/monday.md#L3", "memory/monday.md#L3"] }]);
    expect(sets[0]?.questions[0]?.evidence).toHaveLength(1);
  });

  test("has lists of words belong to the conversation in which they stand", () => {
    const question = { ...asked, evidence: ["memory/monday.md#L3"] };
    const { sets } = folder([question, { ...question, conv: "eve" }], {
      "eve/memory/monday.md": "# 星期一\n\n茶壶\n",
      "words1.json": '[{"word":"茶壶","passages":1},{"word":"茶","passages":1}]',
    });
    expect(sets.map(({ words }) => [...words])).toEqual([[], [["words1.json", ["茶壶", "茶"]]]]);
  });

  test("is read only as far as it matters", () => {
    const paths = [
      "queries.jsonl",
      "words1.zh.json",
      "LICENSE.txt",
      "ada/memory/a/b.md",
      "ada/notes/b.md",
      "memory/b.md",
    ];
    expect(paths.filter(isPart)).toEqual(["queries.jsonl", "words1.zh.json", "ada/memory/a/b.md"]);
  });

  test.each<[string, object[] | string, string]>([
    ["no question", "\n", "has no question"],
    ["a line that is no JSON", '{"conv":\n', "queries.jsonl, line 1: it is no JSON"],
    ["a line that is no object", '\n"hello"\n', "queries.jsonl, line 2: it is no object"],
    ["no conversation", [{ query: "?" }], "line 1: conv is to name a folder"],
    ["no query", [{ conv: "ada" }], "line 1: query is to be a text"],
    ["evidence that is no list", [{ ...asked, evidence: "memory/monday.md#L3" }], "line 1: evidence is to be a list"],
    ["evidence without a line", [{ ...asked, evidence: ["memory/monday.md"] }], "is no line of a file"],
    [
      "evidence in a file that is not there",
      [{ ...asked, evidence: ["memory/x.md#L3"] }],
      "there is no ada/memory/x.md",
    ],
    ["evidence behind the end", [{ ...asked, evidence: ["memory/monday.md#L6"] }], "has 5 lines, and no line 6"],
    ["a conversation without notes", [{ ...asked, conv: "../ada" }], "There are no notes in ../ada/memory"],
  ])("with %s is refused, and the place is named", (_, questions, message) => {
    expect(() => folder(questions)).toThrow(message);
  });

  test("without questions, or with words that are no list, is refused", () => {
    expect(() => readFolder(new Map([["ada/memory/monday.md", NOTE]]))).toThrow("There is no queries.jsonl in it.");
    const question = { ...asked, evidence: ["memory/monday.md#L3"] };
    expect(() => folder([question], { "words.json": "{}" })).toThrow("words.json: it is no list");
    expect(() => folder([question], { "words.json": "[{}]" })).toThrow("words.json: each entry is to have a word");
  });
});
