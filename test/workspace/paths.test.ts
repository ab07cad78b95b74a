import { describe, expect, test } from "vitest";
import { checkFolder, checkPath, resolveFolder, resolvePath } from "../../src/workspace/paths.ts";

describe("a workspace path", () => {
  test("may be any usual file name", () => {
    for (const path of ["a", "MEMORY.md", ".openclaw/state.json", "a b/ç.md", "memory/日记.md", "...", "~a", "a:b"]) {
      expect(checkPath(path)).toBe(path);
    }
  });

  test("that is invalid is refused with the violated rule", () => {
    const cases = [
      ["", "empty"],
      ["/etc/passwd", "relative"],
      ["a/../b", "leave the workspace"],
      ["..", "leave the workspace"],
      ["a/./b", "`.` segment"],
      ["a//b", "empty segment"],
      ["memory/", "names a folder"],
      ["a\nb", "`a%0Ab`. It has a control"],
      ["a\\b", "backslash"],
      ["a\u0000", "control"],
      ["in\u200bvisible", "format character"],
      ["right\u202eleft", "format character"],
      ["two\u2028lines", "`two%E2%80%A8lines`. It has a control"],
      ["half\ud83d", "surrogate"],
      ["AGENTS.md ", "begins or ends with a space"],
      ["memory /a.md", "begins or ends with a space"],
      ["memory/\u3000a.md", "begins or ends with a space"],
      ["字".repeat(342), "1024 bytes"],
    ];
    for (const [path, reason] of cases) expect(() => checkPath(path!), path).toThrow(reason);
    expect(checkPath("字".repeat(341))).toHaveLength(341);
  });

  test("of a folder may end with a slash, and the root is empty", () => {
    expect([checkFolder(""), checkFolder("memory/"), checkFolder("memory")]).toEqual(["", "memory", "memory"]);
    expect(() => checkFolder("/")).toThrow("empty");
  });
});

describe("a path typed by a model", () => {
  test("is resolved in the workspace, however it names the root", () => {
    const notes = [
      "notes.md",
      "./notes.md",
      "././notes.md",
      "~/notes.md",
      "/workspace/notes.md",
      "/workspace/./notes.md",
      "~/.openclaw/workspace/notes.md",
      "/root/.openclaw/workspace/notes.md",
      "/home/ada/.openclaw/workspace/notes.md",
      "/Users/ada/.openclaw/workspace/notes.md",
    ];
    for (const typed of notes) expect(resolvePath(typed), typed).toBe("notes.md");
    for (const typed of ["", ".", "./", "~", "~/", "/workspace", "/workspace/"])
      expect(resolveFolder(typed), typed).toBe("");
    expect(resolveFolder("~/memory/")).toBe("memory");
    expect(resolvePath("workspace/notes.md")).toBe("workspace/notes.md");
    expect(resolvePath("~/.openclaw/workspace-state.json")).toBe(".openclaw/workspace-state.json");
  });

  test("outside the workspace is refused", () => {
    for (const typed of [
      "/etc/passwd",
      "/home/ada/notes.md",
      "../notes.md",
      "~/../x",
      "/workspaces/a",
      "~ada/x/../y",
      "/",
    ]) {
      expect(() => resolvePath(typed), typed).toThrow("Not a path in the workspace");
    }
  });
});
