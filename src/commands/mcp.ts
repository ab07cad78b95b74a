import { head } from "../lib/text.ts";
import type { PendingTool } from "../mcp/server-state.ts";
import type { QueuedCommand } from "./command.ts";
import type { ListedServer, McpPort } from "./mcp-port.ts";

/** As much as models are shown of a description. */
const MAX_TEXT_CHARS = 1000;
const MAX_LEFT_OUT = 20;

/** `/mcp [accept <server> <code> | sign-out <server>]`: the MCP servers, and the tools of theirs that are held back. */
export const mcp: QueuedCommand = {
  kind: "queued",
  name: "mcp",
  summary: "Show the MCP servers, accept tools of theirs that are new or have changed, or sign out of one",
  usage: "/mcp [accept <server> <code> | sign-out <server>]",
  async run(args, { mcp: openPort }) {
    const port = await openPort();
    const [verb, server, code, ...rest] = args.split(/\s+/).filter((word) => word !== "");
    if (verb === undefined) return list(await port.list());
    if (verb === "sign-out" && server !== undefined && code === undefined) return signOut(server, port);
    if (verb !== "accept" || server === undefined || code === undefined || rest.length > 0) {
      return "Use `/mcp`, `/mcp sign-out <server>`, or `/mcp accept <server> <code>` with the code that `/mcp` shows.";
    }
    return accept(server, code, port);
  },
};

async function accept(server: string, code: string, port: McpPort): Promise<string> {
  const accepted = await port.accept(server, code);
  if (accepted === undefined)
    return `Not accepted: what waits there does not have this code.\n\n${list(await port.list())}`;
  if (accepted.length === 0) return `No tool of ${quoted(server)} waits.`;
  return `Accepted from the next message on: ${accepted.map(quoted).join(", ")}.`;
}

async function signOut(server: string, port: McpPort): Promise<string> {
  const isRevoked = await port.signOut(server);
  if (isRevoked === undefined) return `Nobody is signed in at ${quoted(server)}.`;
  if (isRevoked) return `Signed out of ${quoted(server)}: its tokens are revoked.`;
  return `Signed out of ${quoted(server)}. Its tokens are deleted here; revoke Isopod's access at the server, too.`;
}

function list(servers: readonly ListedServer[]): string {
  if (servers.length === 0) return "No MCP server is configured. Add one to `mcp.servers`; `docs://mcp` says how.";
  return servers.flatMap(lines).join("\n");
}

function lines({
  name,
  host,
  config,
  trouble,
  tools,
  pending,
  acceptable,
  leftOut,
  fix,
  code,
}: ListedServer): string[] {
  const state = () => {
    if (!config.enabled) return "switched off";
    if (trouble === undefined) return tools.length === 1 ? "1 tool" : `${tools.length} tools`;
    if (trouble.kind === "new") return "not asked yet: the next turn asks it";
    return `cannot be used. ${plain(trouble.message)} ${fix}`;
  };
  return [
    `- ${quoted(name)} (${host}): ${state()}`,
    ...leftOut.slice(0, MAX_LEFT_OUT).map(({ tool, why }) => `  - ${quoted(tool)} is left out: ${why}`),
    ...acceptable.flatMap(pendingLines),
    ...(code !== undefined
      ? [`  - Accept ${acceptable.length === 1 ? "it" : "them"} with \`/mcp accept ${name} ${code}\``]
      : []),
    ...(pending.length > acceptable.length
      ? [`  - and ${pending.length - acceptable.length} more wait; they are shown then`]
      : []),
  ];
}

function pendingLines({ tool: { tool, description, suspected }, was }: PendingTool): string[] {
  const what = was === undefined ? "is new" : "has changed";
  const warning = suspected === undefined ? "" : ` It looks like a prompt injection (${suspected.join(", ")}).`;
  const isSame = was?.description === description;
  const before = was === undefined || isSame ? [] : [`    - before: ${plain(was.description)}`];
  if (isSame) before.push("    - its description is the same: its parameters, title or hints have changed");
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
