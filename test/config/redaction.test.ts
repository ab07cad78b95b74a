import { describe, expect, test } from "vitest";
import { REDACTED, redacted, restored } from "../../src/config/redaction.ts";

const reference = { source: "env", id: "KEY" };
const document = {
  models: {
    providers: {
      a: { apiKey: reference, headers: { "X-Org": "org-1", Authorization: reference }, baseUrl: "https://u:p@a.test" },
      b: { baseUrl: "https://b.test/v1", apiKey: "sk-plain" },
    },
  },
  agents: { list: [{ id: "main", name: "Pill" }] },
  hooks: { token: "plain" },
};

test("texts that are or may be secrets are hidden, references and all else are not", () => {
  expect(redacted(document)).toEqual({
    ...document,
    models: {
      providers: {
        a: { apiKey: reference, headers: { "X-Org": REDACTED, Authorization: reference }, baseUrl: REDACTED },
        b: { baseUrl: "https://b.test/v1", apiKey: REDACTED },
      },
    },
    hooks: { token: REDACTED },
  });
});

test("what looks like a secret is hidden wherever it stands", () => {
  const config = {
    endpoint: "https://notes.test/?token=hunter2",
    login: "https://hunter2@notes.test",
    words: ["sk-hunter2hunter2hunter2", "plain"],
    credentials: "hunter2",
    passwd: "hunter2",
  };
  const shown = redacted({ skills: { entries: { notes: { config } } } });
  expect(JSON.stringify(shown)).not.toContain("hunter2");
  expect(JSON.stringify(shown)).toContain("plain");
});

describe("a document made from a redacted one", () => {
  test("gets its hidden values back and keeps its changes", () => {
    const edited = JSON.parse(JSON.stringify(redacted(document)).replace("Pill", "Other"));
    expect(restored(edited, document)).toEqual({ ...document, agents: { list: [{ id: "main", name: "Other" }] } });
  });

  test("is refused where it hides a value that never existed", () => {
    expect(() => restored({ prompt: { productName: REDACTED } }, document)).toThrow("prompt.productName");
  });
});
