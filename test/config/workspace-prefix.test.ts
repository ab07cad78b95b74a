import { describe, expect, test } from "vitest";
import { z } from "zod";
import { agentOf, sharingAgents } from "../../src/config/agents.ts";
import { configSchema } from "../../src/config/config-schema.ts";
import { prefixFault, workspacePrefix } from "../../src/config/workspace-prefix.ts";

const any = z.unknown().optional();
const schema = configSchema(any, any, any);

/** What is refused in a configuration of these agents, as `field: why`. */
function refusals(agents: object): string[] {
  const { error } = schema.safeParse({ agents });
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

function prefixesOf(agents: object): Record<string, string> {
  const config = schema.parse({ agents });
  const ids = config.agents.list.map(({ id }) => id);
  return Object.fromEntries(ids.map((id) => [id, workspacePrefix(id, agentOf(config, id).workspace)]));
}

describe("the prefix of a workspace", () => {
  test("is the agent's own for every place on a disk that an imported configuration names", () => {
    const own = "agents/ada/workspace/";
    expect(workspacePrefix("ada", undefined)).toBe(own);
    const onADisk = [
      "",
      " ",
      ".",
      "./",
      "~",
      "~/clawd",
      "~/.openclaw/workspace",
      "~/.openclaw/workspace-ada",
      "~ada/clawd",
      "/home/ada/clawd",
      "C:\\clawd",
      "c:/clawd",
      "\\\\server\\share\\clawd",
      "%USERPROFILE%\\clawd",
      "$HOME/clawd",
      "agents/ada/workspace",
      "agents/ada/workspace/",
    ];
    for (const configured of onADisk) {
      expect([configured, workspacePrefix("ada", configured)]).toEqual([configured, own]);
      expect([configured, prefixFault("ada", configured)]).toEqual([configured, undefined]);
    }
  });

  test("is the relative folder that is configured", () => {
    for (const configured of ["team/notes", "team/notes/", "./team/notes", " team/notes "]) {
      expect(workspacePrefix("ada", configured)).toBe("team/notes/");
      expect(prefixFault("ada", configured)).toBeUndefined();
    }
  });

  test("of the defaults is the default agent's alone", () => {
    const list = [{ id: "ada" }, { id: "bob", default: true }, { id: "eve", workspace: "eve" }];
    expect(prefixesOf({ defaults: { workspace: "home" }, list })).toEqual({
      ada: "agents/ada/workspace/",
      bob: "home/",
      eve: "eve/",
    });
  });
});

describe("a configuration is refused, with the field's path,", () => {
  test("where a workspace reaches into what others own", () => {
    for (const workspace of [
      "agents/bob/workspace",
      "agents",
      "agents/ada",
      "versions/ada",
      "sessions",
      "skills/managed",
    ]) {
      const [top] = workspace.split("/");
      expect(refusals({ list: [{ id: "ada", workspace }] })).toEqual([
        `agents.list.0.workspace: '${workspace}' is no folder for a workspace: '${top}/' is kept for something else; take another name`,
      ]);
    }
  });

  test("where it is no valid path, in the defaults as well", () => {
    const bad = ["../x", "a/../../b", "a//b", "team\\notes", "a\u202eb", "team/ notes", "x".repeat(257)];
    for (const workspace of bad) {
      expect(refusals({ defaults: { workspace } })).toEqual([
        expect.stringMatching(/^agents\.defaults\.workspace: '.*' is no folder for a workspace: it /s),
      ]);
    }
  });

  test("where one workspace is inside another, naming both", () => {
    const list = [
      { id: "ada", workspace: "team" },
      { id: "bob", workspace: "team/bob" },
      { id: "eve", workspace: "team2" },
    ];
    expect(refusals({ list })).toEqual([
      "agents.list.1.workspace: 'team/bob/' of agent 'bob' is inside 'team/' of agent 'ada'; give each a folder of its own, or both the same one",
    ]);
  });
});

test("agents may share one workspace, and sharing agents are listed", () => {
  const list = [{ id: "ada", workspace: "team" }, { id: "bob", workspace: "./team/" }, { id: "eve" }];
  const config = schema.parse({ agents: { list } });
  expect([sharingAgents(config, "ada"), sharingAgents(config, "bob"), sharingAgents(config, "eve")]).toEqual([
    ["bob"],
    ["ada"],
    [],
  ]);
});
