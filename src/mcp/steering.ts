import { isBuiltInTool, mcpToolName } from "../security/tool-policy.ts";

/** The agent's own files that a server has no reason to know. */
const OWN_FILE = /\b(?:AGENTS|BOOTSTRAP|HEARTBEAT|IDENTITY|MEMORY|SOUL|TOOLS|USER)\.md\b/i;
/** A word that is used as the name of a tool: called, or followed by "tool". */
const USED_AS_TOOL = /\b([a-z]+)["'`]?\s*(?:tool\b|\(?\s*\{)/gi;
/** A name that no plain word looks like: `web_fetch`, `mcp_tracker_search`. */
const TOOL_NAME = /\b[a-z]+(?:_[a-z0-9]+)+\b/gi;

/**
 * Whether a tool's words are about more than the tool: they name the agent's own files, its tools, or those of other
 * servers. Steering a model to these is how a description attacks.
 * A server that lists a tool under such a name may speak of it no more than others.
 * @param server the server's name here
 */
export function steersAgent(text: string, server: string): boolean {
  const own = mcpToolName(server, "").toLowerCase();
  if (OWN_FILE.test(text)) return true;
  const used = [...text.matchAll(USED_AS_TOOL)].map(([, name = ""]) => name);
  const named = [...text.matchAll(TOOL_NAME)].map(([name]) => name);
  return [...used, ...named].some((written) => {
    const name = written.toLowerCase();
    return isBuiltInTool(name) || (name.startsWith("mcp_") && !name.startsWith(own));
  });
}
