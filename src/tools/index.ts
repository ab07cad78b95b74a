import type { AnyTool } from "../agent/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { editTool } from "./edit.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import type { ReadEtags } from "./read-etags.ts";
import { writeTool } from "./write.ts";

/** What the tools of a turn work on, and for whom. */
export interface ToolRoom {
  /** Owners get the profile `coding`, everyone else `messaging`, which has no tool for the workspace. */
  owner: boolean;
  workspace: Workspace;
  readEtags: ReadEtags;
}

/** The tools of a turn, in the order in which the prompt lists them, then those of plugins. */
export function toolsFor({ owner, workspace, readEtags }: ToolRoom, plugins: readonly AnyTool[] = []): AnyTool[] {
  if (!owner) return [];
  return [
    readTool(workspace, readEtags),
    writeTool(workspace, readEtags),
    editTool(workspace, readEtags),
    lsTool(workspace),
    ...plugins,
  ];
}
