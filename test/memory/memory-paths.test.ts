import { expect, test } from "vitest";
import { newId } from "../../src/lib/ids.ts";
import { isMemoryPath, mayHoldOutsideText, memoryPlaces } from "../../src/memory/memory-paths.ts";
import type { SpokenMessage } from "../../src/plugins/hooks.ts";
import { notePath } from "../../src/plugins/session-memory.ts";

const PATHS = [
  "MEMORY.md",
  "memory.md",
  "Memory.MD",
  "memory/2026-11-22.md",
  "memory/trips/lisbon.md",
  "Memory/old.md",
  "memory/data.csv",
  "memory/.obsidian/state.md",
  "memory/.draft.md",
  ".openclaw/workspace-state.json",
  "sessions/one.md",
  "notes/a.md",
  "notes/b.txt",
  "notes/c.png",
  "notes/deep/d.log",
  "Notes/e.md",
  "notebook.md",
  "todo.txt",
];

function named(...extraPaths: string[]): string[] {
  return PATHS.filter((path) => isMemoryPath(path, { sources: ["memory"], extraPaths }));
}

const USUAL = [
  "MEMORY.md",
  "memory.md",
  "Memory.MD",
  "memory/2026-11-22.md",
  "memory/trips/lisbon.md",
  "Memory/old.md",
];

test("memory is MEMORY.md and notes below memory/ in any case, without hidden files", () => {
  expect(named()).toEqual(USUAL);
});

test.each([
  ["a folder", "notes", ["notes/a.md", "notes/b.txt", "notes/deep/d.log"]],
  ["a folder as models name it", "~/notes/", ["notes/a.md", "notes/b.txt", "notes/deep/d.log"]],
  ["a file", "todo.txt", ["todo.txt"]],
  ["a file whose name says that it is no text", "notes/c.png", ["notes/c.png"]],
  ["a glob", "notes/*.{md,txt}", ["notes/a.md", "notes/b.txt"]],
  ["a glob of any depth", "notes/**/*.log", ["notes/deep/d.log"]],
  ["a glob of names", "*.txt", ["notes/b.txt", "todo.txt"]],
  ["what is hidden", ".openclaw", []],
  ["the place of transcripts", "sessions", []],
])("an extra path may be %s", (_, extra, more) => {
  expect(named(extra).filter((path) => !USUAL.includes(path))).toEqual(more);
});

test("the whole workspace can be memory, except hidden files and files that are not text", () => {
  const left = PATHS.filter((path) => !named(".").includes(path));
  expect(left).toEqual([
    "memory/.obsidian/state.md",
    "memory/.draft.md",
    ".openclaw/workspace-state.json",
    "sessions/one.md",
    "notes/c.png",
  ]);
});

test("extra paths outside the workspace are ignored and reported", () => {
  const extraPaths = ["../secrets", "/etc/passwd", "notes/../../x", "{notes", "todo.txt"];
  const { faults, extra } = memoryPlaces({ sources: ["memory"], extraPaths });
  expect(extra.map(({ folder }) => folder)).toEqual(["todo.txt"]);
  expect(faults).toHaveLength(4);
  expect(faults[0]).toContain("memorySearch.extraPaths");
  expect(faults[0]).toContain("`../secrets`");
});

test("no file is memory if memory is not a source", () => {
  expect(isMemoryPath("MEMORY.md", { sources: ["sessions"], extraPaths: ["notes"] })).toBe(false);
});

test("only the first 50 extra paths count", () => {
  const extraPaths = Array.from({ length: 300 }, (_, i) => `folder${i}`);
  const { extra, faults } = memoryPlaces({ sources: ["memory"], extraPaths });
  expect(extra).toHaveLength(50);
  expect(faults).toEqual(["Of memorySearch.extraPaths the first 50 count."]);
});

const AT = Date.UTC(2026, 10, 22);
const isOutside = (path: string, source: "memory" | "sessions" = "memory") => mayHoldOutsideText({ path, source });

test("transcripts and notes made of conversations may hold text by others", () => {
  const noteOf = (text: string) => {
    const messages: SpokenMessage[] = [{ role: "user", text, at: AT }];
    return notePath({ at: AT, endedSessionId: newId("ses", AT) }, messages, "UTC");
  };
  for (const said of ["Plan a trip to Lisbon", "我们去里斯本吧", "?!", "x".repeat(300)]) {
    expect([said, isOutside(noteOf(said))]).toEqual([said, true]);
  }
  expect(isOutside("sessions/main/ses_1/1.md", "sessions")).toBe(true);
});

test("notes of the owner and the agent hold no text by others", () => {
  for (const path of ["MEMORY.md", "memory/2026-11-22.md", "memory/people/ada.md", "memory/2026-11-22-trip.md"]) {
    expect([path, isOutside(path)]).toEqual([path, false]);
  }
});
