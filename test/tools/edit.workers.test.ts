import { describe, expect, test } from "vitest";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";
import { fileTools } from "./file-tools.ts";

const ANY = { kind: "any" } as const;

async function withFile(text: string | Uint8Array, workspace?: Workspace) {
  const tools = fileTools(workspace);
  await tools.workspace.write("a.md", text, ANY);
  return {
    ...tools,
    change: (...edits: [string, string][]) =>
      tools.edit({ path: "a.md", edits: edits.map(([oldText, newText]) => ({ oldText, newText })) }),
    text: () => tools.textOf("a.md"),
  };
}

describe("edit", () => {
  test("replaces several passages of the original at once", async () => {
    const { change, text } = await withFile("one two three\n");
    const { text: answer } = await change(["three", "one"], ["one", "three"]);
    expect(answer).toBe("Edited a.md: 2 passages replaced.");
    expect(await text()).toBe("three two one\n");
  });

  test("replaces a passage over several lines, in any script", async () => {
    const { change, text } = await withFile("# 日记\n- 早上跑步\n- 晚上读书\n");
    await change(["- 早上跑步\n- 晚上", "- 早上游泳 🏊\n- 晚上"]);
    expect(await text()).toBe("# 日记\n- 早上游泳 🏊\n- 晚上读书\n");
  });

  test("changes nothing if one passage is missing, ambiguous, empty or unchanged", async () => {
    const { change, text } = await withFile("tea and tea, and coffee");
    await expect(change(["coffee", "juice"], ["milk", "x"])).rejects.toThrow("Edit 2: oldText is not in the file");
    await expect(change(["tea", "juice"])).rejects.toThrow("Edit 1: oldText occurs more than once");
    await expect(change(["", "juice"])).rejects.toThrow("oldText is empty");
    await expect(change(["coffee", "coffee"])).rejects.toThrow("change nothing");
    await expect(change()).rejects.toThrow();
    expect(await text()).toBe("tea and tea, and coffee");
  });

  test("detects overlapping occurrences and overlapping edits", async () => {
    await expect((await withFile("aXaXa")).change(["aXa", "b"])).rejects.toThrow("more than once");
    const { change } = await withFile("one two three");
    await expect(change(["two three", "x"], ["one two", "y"])).rejects.toThrow("Edits 2 and 1 overlap");
    await change(["one ", ""], ["two ", ""]);
  });

  test("keeps CRLF and the byte order mark, whatever line breaks the model sends", async () => {
    for (const end of ["\n", "\r\n"]) {
      const { change, text } = await withFile("\ufefffirst\r\nsecond\r\nthird\r\n");
      await change([`first${end}second`, `1${end}2${end}2½`], ["third", "3"]);
      expect(await text()).toBe("\ufeff1\r\n2\r\n2½\r\n3\r\n");
    }
  });

  test("leaves mixed line breaks outside of the passage unchanged", async () => {
    const { change, text } = await withFile("a\r\nb\nc\r\nd\ne");
    await change(["c\nd", "C\nD"]);
    expect(await text()).toBe("a\r\nb\nC\r\nD\ne");
    const other = await withFile("a\nb\r\nc\r\nd");
    await other.change(["\nd", "\nx\nd"], ["a\n", ""]);
    expect(await other.text()).toBe("b\r\nc\nx\nd");
  });

  test("works on the current version without reading first, and keeps the previous one", async () => {
    const { change, text, workspace, read } = await withFile("milk");
    await read({ path: "a.md" });
    await workspace.write("a.md", "milk, eggs", ANY);
    await change(["milk", "oat milk"]);
    expect(await text()).toBe("oat milk, eggs");
    expect(await workspace.versions("a.md")).toHaveLength(2);
  });

  test("does not count as reading the file", async () => {
    const { change, write, read } = await withFile("secret plan: milk");
    await change(["milk", "oats"]);
    await expect(write({ path: "a.md", content: "oats" })).rejects.toThrow("have not read it");
    await read({ path: "a.md" });
    await change(["oats", "rye"]);
    await write({ path: "a.md", content: "rye" });
  });

  test("keeps a concurrent change", async () => {
    const real = openWorkspace();
    let interfering = true;
    const workspace: Workspace = {
      ...real,
      async write(path, content, expect) {
        if (expect.kind === "etag" && interfering) {
          interfering = false;
          await real.write(path, "milk\neggs", ANY);
        }
        return real.write(path, content, expect);
      },
    };
    const { change, text } = await withFile("milk", workspace);
    await change(["milk", "oat milk"]);
    expect(await text()).toBe("oat milk\neggs");
  });

  test("gives up with a conflict if the file keeps changing", async () => {
    const real = openWorkspace();
    let writes = 0;
    const workspace: Workspace = {
      ...real,
      async write(path, content, expect) {
        if (expect.kind === "etag") await real.write(path, `milk ${writes++}`, ANY);
        return real.write(path, content, expect);
      },
    };
    const { change } = await withFile("milk", workspace);
    await expect(change(["milk", "oat milk"])).rejects.toThrow("changed or deleted since it was read");
    expect(writes).toBe(3);
  });

  test("refuses binary files", async () => {
    const { change } = await withFile(new Uint8Array([0xff, 0xfe]));
    await expect(change(["a", "b"])).rejects.toThrow("not text in UTF-8");
  });
});
