import { describe, expect, test } from "vitest";
import { parsePatch } from "../../src/tools/patch.ts";
import { patchText } from "../../src/tools/patch-text.ts";
import { protectSystemFiles } from "../../src/workspace/state.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";
import { fileTools } from "./file-tools.ts";

const ANY = { kind: "any" } as const;
const NEW = { kind: "new" } as const;

function patch(...lines: string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
}

/** A text after the hunks of one file are applied. */
function patched(text: string, ...lines: string[]): string {
  const [step] = parsePatch(patch("*** Update File: a", ...lines));
  return patchText(text, step?.kind === "update" ? step.hunks : []);
}

describe("a patched text", () => {
  const text = "one\ntwo\nthree\nfour\nfive\n";

  test("has the added lines, lacks the removed ones, and keeps the rest", () => {
    expect(patched(text, "@@", " two", "-three", "+3", "+3b", " four")).toBe("one\ntwo\n3\n3b\nfour\nfive\n");
    expect(patched(text, " one", "+one and a half")).toBe("one\none and a half\ntwo\nthree\nfour\nfive\n");
    expect(patched(text, "-one", "@@", "-five", "+5")).toBe("two\nthree\nfour\n5\n");
    expect(patched(text, "@@", "+six")).toBe(`${text}six\n`);
    expect(patched("", "+first")).toBe("first\n");
  });

  test("is changed after the line that @@ names", () => {
    const twice = "# a\nx\n# b\nx\n";
    expect(patched(twice, "@@ # b", "-x", "+y")).toBe("# a\nx\n# b\ny\n");
    expect(patched(twice, "@@ # a", "+new")).toBe("# a\nnew\nx\n# b\nx\n");
    expect(patched("x\ny\nx\n", "-x", "+z", "*** End of File")).toBe("x\ny\nz\n");
  });

  test("keeps its line breaks, also a missing one at the end", () => {
    expect(patched("a\r\nb\r\n", " a", "-b", "+c", "+d")).toBe("a\r\nc\r\nd\r\n");
    expect(patched("a\nb", " b", "+c")).toBe("a\nb\nc");
    expect(patched("a\nb", "-b")).toBe("a");
    expect(patched("a\r\nb\nc\n", " b", "-c", "+d")).toBe("a\r\nb\nd\r\n");
  });

  test("matches despite different spaces, and unchanged lines stay as they are", () => {
    expect(patched("  if x:  \n    go\n", " if x:", "-go", "+stop")).toBe("  if x:  \nstop\n");
    expect(patched("a\n\nb\n", " a", "", "-b", "+c")).toBe("a\n\nc\n");
  });

  test("is refused if a passage is missing", () => {
    expect(() => patched(text, "-six")).toThrow("Passage 1, `six` …, is not in the file");
    expect(() => patched(text, "-five", "@@", "-one")).toThrow("Passage 2, `one` …, is not in the file after");
    expect(() => patched(text, "-one", "*** End of File")).toThrow("is not the end of the file");
    expect(() => patched(text, "@@ # nowhere", "-one")).toThrow("no line `# nowhere`");
  });
});

describe("an invalid patch", () => {
  test.each([
    ["", "A patch begins with"],
    ["*** Begin Patch\n*** Delete File: a", "does not end with"],
    [patch(), "names no file"],
    [patch("*** Remove File: a"), "Line 2 of the patch: expected"],
    [patch("*** Delete File: "), "Line 2 of the patch: expected"],
    [patch("*** Add File: a", "text"), "Line 3 of the patch: every line of a new file"],
    [patch("*** Update File: a"), "there are no changes for a"],
    [patch("*** Update File: a", "@@", "*** Delete File: b"), "there are no lines below `@@`"],
    [patch("*** Update File: a", "@@", "oops"), "Line 4 of the patch: a line begins with"],
  ])("%j is refused, with the line", (input, message) => {
    expect(() => parsePatch(input)).toThrow(message);
  });
});

describe("apply_patch", () => {
  test("creates, changes, moves and deletes files, and keeps versions", async () => {
    const { workspace, applyPatch, textOf } = fileTools();
    await workspace.write("BOOTSTRAP.md", "who am I?", NEW);
    await workspace.write("USER.md", "# User\n- name:\n", NEW);
    await workspace.write("old.md", "a\nb\n", NEW);
    const done = await applyPatch(
      patch(
        "*** Add File: memory/2026-11-21.md",
        "+# Today",
        "+",
        "+Met Ada.",
        "*** Update File: ~/USER.md",
        "@@",
        "-- name:",
        "+- name: Ada",
        "*** Update File: old.md",
        "*** Move to: new.md",
        " a",
        "-b",
        "+c",
        "*** Delete File: BOOTSTRAP.md",
      ),
    );
    expect(done.text).toBe("Done:\nA memory/2026-11-21.md\nM USER.md\nR old.md -> new.md\nD BOOTSTRAP.md");
    expect((await workspace.walk("")).map(({ path }) => path)).toEqual(["USER.md", "memory/2026-11-21.md", "new.md"]);
    expect(await textOf("memory/2026-11-21.md")).toBe("# Today\n\nMet Ada.\n");
    expect(await textOf("USER.md")).toBe("# User\n- name: Ada\n");
    expect(await textOf("new.md")).toBe("a\nc\n");
    for (const path of ["BOOTSTRAP.md", "USER.md", "old.md"]) expect(await workspace.versions(path)).toHaveLength(1);
  });

  test("changes nothing if one of its files is impossible", async () => {
    const { workspace, applyPatch, textOf } = fileTools();
    await workspace.write("a.md", "one\n", NEW);
    await workspace.write("bin.md", new Uint8Array([255, 254, 0]), NEW);
    const good = ["*** Update File: a.md", "-one", "+two"];
    const cases = [
      [["*** Delete File: none.md"], "There is no file `none.md`"],
      [["*** Add File: a.md", "+x"], "names a.md twice"],
      [["*** Add File: bin.md", "+x"], "bin.md exists already"],
      [["*** Update File: bin.md", "+x"], "not text in UTF-8"],
      [["*** Update File: bin.md", "*** Move to: a.md"], "names a.md twice"],
      [["*** Update File: none.md", "+x"], "There is no file"],
      [["*** Delete File: ../x"], "Not a path in the workspace"],
    ] as const;
    for (const [lines, message] of cases) {
      await expect(applyPatch(patch(...good, ...lines))).rejects.toThrow(message);
    }
    await expect(applyPatch(patch("*** Update File: a.md", "-gone", "+x"))).rejects.toThrow("a.md: Passage 1, `gone`");
    expect(await textOf("a.md")).toBe("one\n");
    expect(await workspace.versions("a.md")).toEqual([]);
  });

  test.each(["*** Add File: .openclaw/notes.md", "*** Update File: there.md\n*** Move to: .OpenClaw/there.md"])(
    "changes nothing where a file is the system's own: %s",
    async (step) => {
      const { workspace, applyPatch } = fileTools(protectSystemFiles(openWorkspace()));
      await workspace.write("there.md", "x\n", NEW);
      await expect(applyPatch(patch("*** Add File: first.md", "+1", step))).rejects.toThrow("keeps for itself");
      expect((await workspace.list("")).map(({ path }) => path)).toEqual(["there.md"]);
    },
  );

  test("does not undo a concurrent change, and says how far it got", async () => {
    const tools = fileTools();
    await tools.workspace.write("a.md", "one\n", NEW);
    await tools.workspace.write("b.md", "one\n", NEW);
    const meddled = fileTools({
      ...tools.workspace,
      async write(path, content, expect) {
        if (path === "b.md") await tools.workspace.write("b.md", "theirs\n", ANY);
        return tools.workspace.write(path, content, expect);
      },
    });
    const both = patch("*** Update File: a.md", "-one", "+two", "*** Update File: b.md", "-one", "+two");
    await expect(meddled.applyPatch(both)).rejects.toThrow(
      /^Stopped at M b\.md: .*changed.*\nDone before that:\nM a\.md$/s,
    );
    expect([await tools.textOf("a.md"), await tools.textOf("b.md")]).toEqual(["two\n", "theirs\n"]);
  });

  test("allows overwriting a patched file only if it was read before", async () => {
    const { workspace, applyPatch, read, write } = fileTools();
    await workspace.write("a.md", "one\n", NEW);
    await applyPatch(patch("*** Update File: a.md", "-one", "+two"));
    await expect(write({ path: "a.md", content: "x" })).rejects.toThrow("you have not read it");
    await read({ path: "a.md" });
    await applyPatch(patch("*** Update File: a.md", "-two", "+three"));
    await write({ path: "a.md", content: "x" });
  });
});
