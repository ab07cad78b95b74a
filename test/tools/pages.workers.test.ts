import { describe, expect, test } from "vitest";
import type { ToolCall } from "../../src/agent/tool.ts";
import { listPagesTool, readPagesTool } from "../../src/tools/pages.ts";
import type { Resources } from "../../src/tools/resources.ts";
import { fileTools } from "./file-tools.ts";

const TEXTS = new Map([
  ["index", "# All\n\nHello."],
  ["models", ["# Models", "", "Some.", "", "## Keys", "One.", "Two."].join("\n")],
  ["zh/index", "# 目录"],
]);

const RESOURCES: Resources = {
  docs: {
    read: async (path) => TEXTS.get(path === "" ? "index" : path),
    list: async () => [...TEXTS.keys()].map((path) => ({ path, about: `About ${path}` })),
  },
};

const call: ToolCall = {
  callId: "c",
  approved: false,
  signal: new AbortController().signal,
  now: () => 0,
  update: () => undefined,
};

describe("an address outside the workspace", () => {
  const { read, ls } = fileTools(undefined, RESOURCES);

  test("is read like a file, with the same line ranges", async () => {
    expect((await read({ path: "docs://models" })).text).toContain("# Models\n\nSome.");
    expect((await read({ path: " DOCS://models/ " })).text).toContain("# Models");
    expect((await read({ path: "docs://" })).text).toBe("# All\n\nHello.");
    expect((await read({ path: "docs://models", offset: 3, limit: 1 })).text).toBe(
      "Some.\n\n[Lines 3 to 3 of 7. Read on with offset=4.]",
    );
    await expect(read({ path: "docs://models", offset: 8 })).rejects.toThrow("has 7 lines");
  });

  test("with a heading is read from there, unless a line is given", async () => {
    expect((await read({ path: "docs://models#keys" })).text).toBe("## Keys\nOne.\nTwo.");
    expect((await read({ path: "docs://models#keys", offset: 7 })).text).toBe("Two.");
    await expect(read({ path: "docs://models#key" })).rejects.toThrow("no heading #key. It has: #models, #keys.");
  });

  test("without a page gives an error with similar ones", async () => {
    await expect(read({ path: "docs://modles.md" })).rejects.toThrow("Near it: docs://models. Use ls on docs://");
    await expect(ls({ path: "docs://en" })).rejects.toThrow("nothing at docs://en. Use ls on docs://");
  });

  test("of an unknown scheme gives an error with the known ones", async () => {
    await expect(read({ path: "https://example.org/a" })).rejects.toThrow(
      "Nothing can be read at https://. There is the workspace, docs://.",
    );
    await expect(read({ path: "constructor://x" })).rejects.toThrow("Nothing can be read at constructor://");
  });

  test("never leaves its scheme", async () => {
    for (const path of ["docs://../secret", "docs://zh/../../x", "docs://a//b", "docs://a\\b", "docs://a\u200bb"]) {
      await expect(read({ path })).rejects.toThrow("That is no address in docs://");
      await expect(ls({ path })).rejects.toThrow("That is no address in docs://");
    }
  });

  test("is listed with a description of each page", async () => {
    expect((await ls({ path: "docs://" })).text).toBe(
      "docs://index  About index\ndocs://models  About models\ndocs://zh/index  About zh/index",
    );
    expect((await ls({ path: "docs://zh/" })).text).toBe("docs://zh/index  About zh/index");
  });

  test("can be searched whole or by page", async () => {
    const { grep } = fileTools(undefined, RESOURCES);
    expect((await grep({ pattern: "e", path: "docs://" })).text).toBe(
      "docs://index:3: Hello.\ndocs://models:1: # Models\ndocs://models:3: Some.\ndocs://models:5: ## Keys\ndocs://models:6: One.",
    );
    expect((await grep({ pattern: "^(?:T|#)", path: "docs://models.md" })).text).toBe(
      "docs://models:1: # Models\ndocs://models:5: ## Keys\ndocs://models:7: Two.",
    );
    await expect(grep({ pattern: "e", path: "docs://modles" })).rejects.toThrow("Near it: docs://models");
  });

  test("cannot be written", async () => {
    const { write, edit } = fileTools(undefined, RESOURCES);
    await expect(write({ path: "docs://models", content: "x" })).rejects.toThrow("Not a path in the workspace");
    const edits = [{ oldText: "Some.", newText: "None." }];
    await expect(edit({ path: "docs://models", edits })).rejects.toThrow("Not a path in the workspace");
  });
});

describe("without workspace access", () => {
  const read = readPagesTool(RESOURCES);
  const ls = listPagesTool(RESOURCES);

  test("pages can be read and listed", async () => {
    expect((await read.run({ path: "docs://models#keys", limit: 1 }, call)).text).toContain("## Keys\n\n[Lines 5 to 5");
    expect((await ls.run({ path: "docs://zh" }, call)).text).toContain("docs://zh/index");
  });

  test("files cannot be read or listed", async () => {
    for (const path of ["MEMORY.md", "/workspace/USER.md", ".", "docs:/models"]) {
      await expect(read.run({ path }, call)).rejects.toThrow("The workspace is not open to this conversation");
      await expect(ls.run({ path }, call)).rejects.toThrow("What can be read is docs://.");
    }
  });
});
