import { describe, expect, test } from "vitest";
import { openWorkspace } from "../workspace/open-workspace.ts";
import { fileTools } from "./file-tools.ts";

const ANY = { kind: "any" } as const;

describe("write", () => {
  test("creates a file in new folders", async () => {
    const { write, textOf } = fileTools();
    expect((await write({ path: "~/notes/trips/lisbon.md", content: "pack light" })).text).toBe(
      "Wrote notes/trips/lisbon.md: 10 bytes, a new file.",
    );
    expect(await textOf("notes/trips/lisbon.md")).toBe("pack light");
  });

  test("overwrites a version that was read or written by the agent", async () => {
    const { workspace, read, write, textOf } = fileTools();
    await workspace.write("USER.md", "Ada", ANY);
    await read({ path: "USER.md" });
    expect((await write({ path: "USER.md", content: "Ada L." })).text).toContain("kept for 30 days");
    await write({ path: "USER.md", content: "Ada Lovelace" });
    expect(await textOf("USER.md")).toBe("Ada Lovelace");
    expect(await workspace.versions("USER.md")).toHaveLength(2);
  });

  test("overwrites a version that the prompt showed", async () => {
    const { workspace, etags, write, textOf } = fileTools();
    const file = await workspace.write("USER.md", "Ada", ANY);
    etags.seen(new Map([["USER.md", file.etag]]));
    await write({ path: "USER.md", content: "Grace" });
    expect(await textOf("USER.md")).toBe("Grace");
  });

  test("does not overwrite an unread file, and says what to do", async () => {
    const { workspace, write, read, textOf } = fileTools();
    await workspace.write("MEMORY.md", "a year of memories", ANY);
    await expect(write({ path: "MEMORY.md", content: "- likes tea" })).rejects.toThrow("Read it first");
    expect(await textOf("MEMORY.md")).toBe("a year of memories");
    await read({ path: "MEMORY.md" });
    await write({ path: "MEMORY.md", content: "- likes tea" });
    expect(await textOf("MEMORY.md")).toBe("- likes tea");
  });

  test("does not overwrite a concurrent change, however often it is tried", async () => {
    const { workspace, write, read, textOf } = fileTools();
    await workspace.write("list.md", "milk", ANY);
    await read({ path: "list.md" });
    await workspace.write("list.md", "milk, eggs", ANY);
    for (const content of ["milk, bread", "bread"]) {
      await expect(write({ path: "list.md", content })).rejects.toThrow("changed since you read it");
    }
    expect(await textOf("list.md")).toBe("milk, eggs");
    await read({ path: "list.md" });
    await write({ path: "list.md", content: "milk, eggs, bread" });
    expect(await textOf("list.md")).toBe("milk, eggs, bread");
  });

  test("reports that a file was deleted, and creates it again at the next call", async () => {
    const { workspace, write, textOf } = fileTools();
    await write({ path: "a.md", content: "one" });
    await workspace.remove("a.md", ANY);
    await expect(write({ path: "a.md", content: "two" })).rejects.toThrow("was deleted since you read it");
    await write({ path: "a.md", content: "two" });
    expect(await textOf("a.md")).toBe("two");
  });

  test("replayed after a crash finds its own content and succeeds", async () => {
    const workspace = openWorkspace();
    await fileTools(workspace).write({ path: "a.md", content: "the same" });
    const { write } = fileTools(workspace);
    expect((await write({ path: "a.md", content: "the same" })).text).toContain("exactly this content already");
    await write({ path: "a.md", content: "and on it goes" });
    expect(await workspace.versions("a.md")).toHaveLength(1);
  });

  test("replayed after a crash does not undo later changes", async () => {
    const workspace = openWorkspace();
    await fileTools(workspace).write({ path: "a.md", content: "mine" });
    await workspace.write("a.md", "yours", ANY);
    const again = fileTools(workspace);
    await expect(again.write({ path: "a.md", content: "mine" })).rejects.toThrow("nothing was written");
    expect(await again.textOf("a.md")).toBe("yours");
  });

  test("can empty a file", async () => {
    const { write, textOf } = fileTools();
    await write({ path: "BOOTSTRAP.md", content: "who am I?" });
    await write({ path: "BOOTSTRAP.md", content: "" });
    expect(await textOf("BOOTSTRAP.md")).toBe("");
  });
});
