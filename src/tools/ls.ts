import { z } from "zod";
import { defineTool, type Tool } from "../agent/tool.ts";
import type { OutsidePort } from "../security/from-outside.ts";
import { labelText } from "../security/labels.ts";
import { resolveFolder } from "../workspace/paths.ts";
import type { Workspace, WorkspaceEntry } from "../workspace/workspace.ts";
import { addressIn, listAddress, type Resources } from "./resources.ts";
import { listServerResources, type ServerResources, serverAddressIn } from "./server-resources.ts";

const MAX_ENTRIES = 500;

const parameters = z.strictObject({
  path: z
    .string()
    .optional()
    .describe("A folder of the workspace, its root where none is given; or an address such as docs://"),
});

/** Lists a folder of the workspace, or pages outside of it. */
export function lsTool(
  workspace: Pick<Workspace, "list">,
  resources: Resources,
  outside: OutsidePort,
  servers: ServerResources | undefined,
): Tool<z.infer<typeof parameters>> {
  return defineTool({
    name: "ls",
    summary: "List directory contents",
    description:
      "Lists files (with their size in bytes) and folders (with a / at the end) in a folder, and where a file's " +
      "words come from, if they are not the owner's.",
    parameters,
    replay: "safe",
    sequential: false,
    async run({ path: typed = "" }, call) {
      const remote = serverAddressIn(typed);
      if (remote !== undefined) return listServerResources(remote, servers, { call, outside });
      const address = addressIn(typed);
      if (address !== undefined) return { text: await listAddress(resources, address) };
      const folder = resolveFolder(typed);
      const entries = await workspace.list(folder);
      if (entries.length === 0) {
        if (folder === "") return { text: "(The workspace is empty.)" };
        throw new Error(`There is no folder ${folder}, or it is a file.`);
      }
      const lines = entries.slice(0, MAX_ENTRIES).map((entry) => entryLine(entry, folder));
      if (entries.length > MAX_ENTRIES) lines.push(`[The first ${MAX_ENTRIES} of ${entries.length} entries.]`);
      return { text: lines.join("\n") };
    },
  });
}

function entryLine(entry: WorkspaceEntry, folder: string): string {
  const name = folder === "" ? entry.path : entry.path.slice(folder.length + 1);
  if (entry.kind === "folder") return `${name}/`;
  const from = entry.labels === undefined ? "" : `  from ${labelText(entry.labels.labels)}`;
  return `${name}  ${entry.size}${from}`;
}
