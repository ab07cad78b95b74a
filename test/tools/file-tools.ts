import type { AnyTool, ToolCall, ToolOutput } from "../../src/agent/tool.ts";
import { applyPatchTool } from "../../src/tools/apply-patch.ts";
import { editTool } from "../../src/tools/edit.ts";
import { findTool } from "../../src/tools/find.ts";
import { grepTool } from "../../src/tools/grep.ts";
import { lsTool } from "../../src/tools/ls.ts";
import { readTool } from "../../src/tools/read.ts";
import { ReadEtags } from "../../src/tools/read-etags.ts";
import type { Resources } from "../../src/tools/resources.ts";
import { writeTool } from "../../src/tools/write.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { openWorkspace } from "../workspace/open-workspace.ts";

const call: ToolCall = {
  callId: "call_1",
  approved: false,
  signal: new AbortController().signal,
  now: () => 0,
  update: () => undefined,
};

const outside = { newFenceId: () => "0123456789abcdef", suspect: () => undefined, onInjection: "log" as const };

/** The file tools of one session over a new workspace, called as the loop does, with schema-checked arguments. */
export function fileTools(workspace: Workspace = openWorkspace(), resources: Resources = {}) {
  const etags = new ReadEtags();
  async function run(tool: AnyTool, args: unknown): Promise<ToolOutput> {
    return tool.run(tool.parameters.parse(args), call);
  }
  async function textOf(path: string): Promise<string> {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return decoder.decode((await workspace.read(path)).bytes);
  }
  return {
    workspace,
    etags,
    textOf,
    read: (args: unknown) =>
      run(readTool(workspace, etags, resources, { baseDirOf: () => undefined }, outside, undefined), args),
    write: (args: unknown) => run(writeTool(workspace, etags), args),
    edit: (args: unknown) => run(editTool(workspace, etags), args),
    applyPatch: (input: string) => run(applyPatchTool(workspace, etags), { input }),
    grep: (args: unknown) => run(grepTool(workspace, resources, outside), args),
    find: (args: unknown) => run(findTool(workspace), args),
    ls: (args: unknown) => run(lsTool(workspace, resources, outside, undefined), args),
  };
}
