import { describe, expect, test } from "vitest";
import { MAX_WALKED } from "../../src/workspace/workspace.ts";
import { watchWorkspace } from "../workspace/open-workspace.ts";
import { fileTools } from "./file-tools.ts";

const NEW = { kind: "new" } as const;

async function searched(files: Record<string, string | Uint8Array>) {
  const tools = fileTools();
  await Promise.all(Object.entries(files).map(([path, content]) => tools.workspace.write(path, content, NEW)));
  return {
    ...tools,
    found: async (args: object) => (await tools.grep(args)).text.split("\n"),
  };
}

const NOTES = {
  "MEMORY.md": "Ada likes tea.\nBob likes rum (dark).\n",
  "memory/2026-01-31.md": "one\r\ntwo tea\r\nthree\r\nfour\r\nfive TEA\r\nsix",
  "notes.txt": "no tea here",
};

describe("grep", () => {
  test("shows matching lines with path and number, ordered by path", async () => {
    const { found } = await searched(NOTES);
    expect(await found({ pattern: "tea" })).toEqual([
      "MEMORY.md:1: Ada likes tea.",
      "memory/2026-01-31.md:2: two tea",
      "notes.txt:1: no tea here",
    ]);
    expect(await found({ pattern: "^(two|five) tea$", ignoreCase: true })).toEqual([
      "memory/2026-01-31.md:2: two tea",
      "memory/2026-01-31.md:5: five TEA",
    ]);
    expect(await found({ pattern: "rum (dark).", literal: true })).toEqual(["MEMORY.md:2: Bob likes rum (dark)."]);
    expect(await found({ pattern: "coffee" })).toEqual(["(No line matches.)"]);
  });

  test("searches a folder, a file, or files that match a glob", async () => {
    const { found, grep } = await searched(NOTES);
    const paths = async (args: object) => (await found(args)).map((line) => line.split(":")[0]);
    expect(await paths({ pattern: "tea", path: "memory/" })).toEqual(["memory/2026-01-31.md"]);
    expect(await paths({ pattern: "tea", path: "~/notes.txt" })).toEqual(["notes.txt"]);
    expect(await paths({ pattern: "tea", glob: "*.md" })).toEqual(["MEMORY.md", "memory/2026-01-31.md"]);
    await expect(grep({ pattern: "tea", path: "nowhere" })).rejects.toThrow("There is no file `nowhere`");
    await expect(grep({ pattern: "tea", path: "../other" })).rejects.toThrow("Not a path in the workspace");
  });

  test("shows lines around a match, each once", async () => {
    const { found } = await searched({ "a.md": "1\n2 x\n3\n4 x\n5\n6\n7\n8 x\n" });
    expect(await found({ pattern: "x", context: 1 })).toEqual(
      ["1- 1", "2: 2 x", "3- 3", "4: 4 x", "5- 5", "--", "7- 7", "8: 8 x"].map((line) =>
        line === "--" ? line : `a.md:${line}`,
      ),
    );
  });

  test("stops at its limit and says so", async () => {
    const { found } = await searched({ "a.md": "x\n".repeat(150), "b.md": "x" });
    const lines = await found({ pattern: "x" });
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe("[The first 100 matches; there may be more.]");
    expect(await found({ pattern: "x", limit: 2 })).toHaveLength(3);
  });

  test("leaves out binary files, and says which files were too large or too many", async () => {
    const { found } = await searched({
      "a.png": "x",
      "binary.md": new Uint8Array([120, 0, 120]),
      "latin.md": new Uint8Array([120, 0xe9]),
      "large.md": `${"y\n".repeat(600_000)}x`,
      "ok.md": "x",
    });
    expect(await found({ pattern: "x" })).toEqual(["ok.md:1: x", "[Not searched: 1 files over 1 MiB.]"]);
    const many = Object.fromEntries(Array.from({ length: 302 }, (_, n) => [`${String(n).padStart(3, "0")}.md`, "y"]));
    const { found: foundAmong } = await searched({ ...many, "301.md": "x" });
    expect(await foundAmong({ pattern: "x" })).toEqual([
      "(No line matches.)",
      "[Not searched: 2 of 302 files, from 300.md on.]",
    ]);
  });

  test("reads no file twice, and no binary file", async () => {
    const { workspace, calls } = watchWorkspace();
    for (const path of ["a.md", "b.jpg", "c.md"]) await workspace.write(path, "x", NEW);
    calls.length = 0;
    await fileTools(workspace).grep({ pattern: "x" });
    expect(calls.map((call) => call.split(" ")[0])).toEqual(["list", "get", "get"]);
  });

  test("is fast with any pattern or line, and refuses an invalid pattern", async () => {
    const { found, grep } = await searched({ "a.md": `${"a".repeat(100_000)}b` });
    expect(await found({ pattern: "^(a+)+$" })).toEqual(["(No line matches.)"]);
    const [long] = await found({ pattern: "b$" });
    expect(long).toHaveLength("a.md:1: ".length + 401);
    for (const pattern of ["(", "(?<=a)b", "\\1"]) {
      await expect(grep({ pattern })).rejects.toThrow("is no regular expression");
    }
    await expect(grep({ pattern: "(?:a{0,30}.{0,30}){1,15}\\bq$" })).rejects.toThrow("repeats too much");
    await expect(grep({ pattern: "" })).rejects.toThrow("1 to 1000");
  });
});

describe("find", () => {
  test("says that there may be more files if there are too many to examine", async () => {
    const many = Array.from({ length: MAX_WALKED }, (_, n) => {
      return { kind: "file", path: `${n}.txt`, etag: "e", size: 0, modifiedAt: 0 } as const;
    });
    const { workspace } = fileTools();
    const { find, grep } = fileTools({ ...workspace, walk: async () => many });
    const note = `[Only the first ${MAX_WALKED} files were examined: name a folder.]`;
    expect((await find({ pattern: "*.md" })).text).toBe(`(No file matches *.md.)\n${note}`);
    expect((await grep({ pattern: "x", glob: "*.md" })).text).toBe(`(No line matches.)\n${note}`);
  });

  test("lists files by a glob with their sizes, below a folder, in any case", async () => {
    const { find } = await searched(NOTES);
    expect((await find({ pattern: "memory.MD" })).text).toBe("MEMORY.md  37");
    expect((await find({ pattern: "*.md" })).text).toBe("MEMORY.md  37\nmemory/2026-01-31.md  40");
    expect((await find({ pattern: "2026-*", path: "memory" })).text).toBe("memory/2026-01-31.md  40");
    expect((await find({ pattern: "memory/*" })).text).toBe("memory/2026-01-31.md  40");
    expect((await find({ pattern: "*.pdf" })).text).toBe("(No file matches *.pdf.)");
  });
});
