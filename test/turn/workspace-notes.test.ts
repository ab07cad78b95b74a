import { expect, test } from "vitest";
import { wholeSchema } from "../../src/services/config-schema.ts";
import { workspaceNotes } from "../../src/turn/prompt-input.ts";

test("an agent is told who else works in its workspace, and nothing where nobody does", () => {
  const list = [{ id: "ada", workspace: "team" }, { id: "bob", workspace: "team/" }, { id: "eve" }];
  const config = wholeSchema.parse({ agents: { list } });
  expect(workspaceNotes(config, "ada")).toEqual([
    "Shared with other agents (bob): they read and change the same files.",
  ]);
  expect(workspaceNotes(config, "eve")).toEqual([]);
});
