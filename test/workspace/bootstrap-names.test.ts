import { describe, expect, test } from "vitest";
import { type BootstrapAudience, chooseFiles } from "../../src/workspace/bootstrap-names.ts";
import type { WorkspaceEntry } from "../../src/workspace/workspace.ts";

const OWNER: BootstrapAudience = { mode: "full", heartbeat: true, personal: true, firstConversation: "over" };

/** A root with these files, each with content of its own but for those that are given the same etag. */
function root(...names: (string | [name: string, etag: string])[]): WorkspaceEntry[] {
  return names.map((name): WorkspaceEntry => {
    const [path, etag] = typeof name === "string" ? [name, name] : name;
    return { kind: "file", path, etag, size: 1, modifiedAt: 0 };
  });
}

function chosen(listing: WorkspaceEntry[], occasion = OWNER) {
  const { wanted, warnings } = chooseFiles(listing, occasion);
  return { paths: wanted.flatMap(({ file }) => (file ? [file.path] : [])), warnings };
}

describe("bootstrap files whose names differ only in case", () => {
  test("are both named in a warning", () => {
    const { paths, warnings } = chosen(root("AGENTS.md", "agents.md", "Agents.md"));
    expect(paths).toEqual(["AGENTS.md"]);
    expect(warnings).toEqual([
      "`agents.md`, `Agents.md` is not shown: `AGENTS.md` is there, too, and names count whatever their case.",
    ]);
  });

  test("give no warning if they are identical or not needed", () => {
    expect(chosen(root(["SOUL.md", "1"], ["soul.md", "1"]))).toEqual({ paths: ["SOUL.md"], warnings: [] });
    expect(chosen(root("SOUL.md", "soul.md"), { ...OWNER, mode: "minimal" }).warnings).toEqual([]);
  });

  test("are at most two memory files", () => {
    const { paths, warnings } = chosen(root("MEMORY.md", "Memory.md", "memory.md", "MEMORY.MD"));
    expect(paths).toEqual(["MEMORY.md", "memory.md"]);
    expect(warnings).toEqual([
      expect.stringMatching(/^`Memory\.md`, `MEMORY\.MD` is not shown: `MEMORY\.md`, `memory\.md`/),
    ]);
  });
});

describe("misspelt names of bootstrap files", () => {
  test("give a warning: a space at the end, full-width letters, and an appended .txt", () => {
    const { paths, warnings } = chosen(root("AGENTS.md ", "ＳＯＵＬ.md", "user.md.txt", "NOTES.md.txt"));
    expect(paths).toEqual([]);
    expect(warnings).toEqual([
      "`AGENTS.md ` is not shown: rename it to AGENTS.md if that is what it is.",
      "`ＳＯＵＬ.md` is not shown: rename it to SOUL.md if that is what it is.",
      "`user.md.txt` is not shown: rename it to USER.md if that is what it is.",
    ]);
  });
});

describe("BOOTSTRAP.md", () => {
  test("is shown to the owner alone during onboarding", () => {
    const listing = root("BOOTSTRAP.md");
    expect(chosen(listing, { ...OWNER, firstConversation: "here" })).toEqual({ paths: ["BOOTSTRAP.md"], warnings: [] });
    expect(chosen(listing, { ...OWNER, firstConversation: "elsewhere" })).toEqual({ paths: [], warnings: [] });
  });

  test("is not shown after onboarding, with a warning", () => {
    expect(chosen(root("bootstrap.md"))).toEqual({
      paths: [],
      warnings: ["`bootstrap.md` is not shown: it is for a first conversation, and that of this workspace is over."],
    });
  });
});
