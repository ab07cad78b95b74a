import { expect, test } from "vitest";
import { compareAccepted } from "../../src/workspace/acceptance.ts";
import type { WorkspaceEntry } from "../../src/workspace/workspace.ts";

function root(files: Record<string, string>): WorkspaceEntry[] {
  return Object.entries(files).map(([path, etag]) => ({ kind: "file", path, etag, size: 1, modifiedAt: 0 }));
}

test("each identity file is accepted, changed, new or gone, and other files are ignored", () => {
  const listing = root({ "AGENTS.md": "1", "soul.md": "2", "BOOT.md": "3", "notes.md": "4", "memory/BOOT.md": "5" });
  const accepted = [
    { path: "AGENTS.md", etag: "1", at: 10 },
    { path: "soul.md", etag: "old", at: 20 },
    { path: "USER.md", etag: "6", at: 30 },
  ];
  expect(compareAccepted([...listing, { kind: "folder", path: "TOOLS.md" }], accepted)).toEqual([
    { path: "AGENTS.md", state: "accepted", etag: "1", acceptedAt: 10 },
    { path: "soul.md", state: "changed", etag: "2", acceptedAt: 20 },
    { path: "BOOT.md", state: "new", etag: "3" },
    { path: "USER.md", state: "gone", acceptedAt: 30 },
  ]);
});
