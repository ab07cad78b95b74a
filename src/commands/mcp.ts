import { head } from "../lib/text.ts";
import { fixFor } from "../mcp/failure.ts";
import { type PendingTool, pendingCode, type ServerState } from "../mcp/server-state.ts";
import type { QueuedCommand } from "./command.ts";
import type { McpPort } from "./mcp-port.ts";

const MAX_TEXT_CHARS = 300;
const MAX_SHOWN_TOOLS = 20;

/** `/mcp [accept <server> <code>]`: the MCP servers, and the tools of theirs that are held back. */
export const mcp: QueuedCommand = {
  kind: "queued",
  name: "mcp",
  summary: "Show the MCP servers, or accept tools of theirs that are new or have changed",
  usage: "/mcp [accept <server> <code>]",
  async run(args, { mcp: port }) {
    const [verb, server, code, ...rest] = args.split(/\s+/).filter((word) => word !== "");
    if (verb === undefined) return list(await port.list());
    if (verb !== "accept" || server === undefined || code === undefined || rest.length > 0) {
      return "Use `/mcp`, or `/mcp accept <server> <code>` with the code that `/mcp` shows.";
    }
    return accept(server, code, port);
  },
};

async function accept(server: string, code: string, port: McpPort): Promise<string> {
  const accepted = await port.accept(server, code);
  if (accepted === undefined)
    return `Not accepted: what waits there does not have this code.\n\n${await list(await port.list())}`;
  if (accepted.length === 0) return `No tool of ${quoted(server)} waits.`;
  return `Accepted from the next message on: ${accepted.map(quoted).join(", ")}.`;
}

async function list(servers: readonly ServerState[]): Promise<string> {
  if (servers.length === 0) return "No MCP server is configured. Add one to `mcp.servers`; `docs://mcp` says how.";
  return (await Promise.all(servers.map(lines))).flat().join("\n");
}

async function lines({ name, host, config, trouble, tools, pending, leftOut }: ServerState): Promise<string[]> {
  const state = () => {
    if (!config.enabled) return "switched off";
    if (trouble === undefined) return tools.length === 1 ? "1 tool" : `${tools.length} tools`;
    if (trouble.kind === "new") return "not asked yet: the next turn asks it";
    return `cannot be used. ${plain(trouble.message)} ${fixFor(trouble, name)}`;
  };
  return [
    `- ${quoted(name)} (${host}): ${state()}`,
    ...leftOut.slice(0, MAX_SHOWN_TOOLS).map(({ tool, why }) => `  - ${quoted(tool)} is left out: ${why}`),
    ...pending.slice(0, MAX_SHOWN_TOOLS).flatMap(pendingLines),
    ...(pending.length > MAX_SHOWN_TOOLS ? [`  - and ${pending.length - MAX_SHOWN_TOOLS} more that wait`] : []),
    ...(pending.length > 0 ? [`  - Accept them with \`/mcp accept ${name} ${await pendingCode(pending)}\``] : []),
  ];
}

function pendingLines({ tool: { tool, description, suspected }, was }: PendingTool): string[] {
  const what = was === undefined ? "is new" : "has changed";
  const warning = suspected === undefined ? "" : ` It looks like a prompt injection (${suspected.join(", ")}).`;
  const before =
    was === undefined || was.description === description ? [] : [`    - before: ${plain(was.description)}`];
  return [`  - ${quoted(tool)} ${what}, and is held back.${warning}`, `    - now: ${plain(description)}`, ...before];
}

function quoted(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

/** Words of a server on one line, without Markdown. */
function plain(text: string): string {
  const line = text
    .replace(/[`*~[\]<>|#\\]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= MAX_TEXT_CHARS ? line : `${head(line, MAX_TEXT_CHARS)} …`;
}
