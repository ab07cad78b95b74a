/** Tools that policies name together. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "group:fs": ["read", "write", "edit", "apply_patch", "grep", "find", "ls"],
  "group:runtime": ["exec", "process"],
  "group:web": ["web_search", "web_fetch", "browser"],
  "group:ui": ["browser", "canvas"],
  "group:nodes": ["nodes"],
  "group:automation": ["cron", "gateway"],
  "group:messaging": ["message"],
  "group:media": ["image", "image_generate", "transcribe", "tts"],
  "group:memory": ["memory_search", "memory_get"],
  "group:sessions": [
    "agents_list",
    "sessions_list",
    "sessions_history",
    "sessions_send",
    "sessions_spawn",
    "subagents",
    "session_status",
  ],
};

/** The tools of OpenClaw that Isopod does not have, and why. */
export const RESERVED_TOOLS: ReadonlyMap<string, string> = new Map([
  ["canvas", "Isopod has no app that shows a canvas."],
  ["nodes", "Isopod has no nodes: no devices are paired with it."],
]);

/** Tools that need more than a policy, and what to do without them. */
export const CONDITIONAL_TOOLS: ReadonlyMap<string, string> = new Map([
  [
    "browser",
    "It needs a browser that is bound to the Worker, and is on in tools.web.browser; `web_fetch` reads pages.",
  ],
]);

/** The tools of those that a list names, by name or by a group of nothing else. */
export function reservedIn(entries: readonly string[]): string[] {
  const narrow = entries.filter((entry) => !entry.includes("*") && entry.trim().toLowerCase() !== "group:openclaw");
  return [...RESERVED_TOOLS.keys()].filter((tool) => namesTool(narrow, tool));
}

/** What the name of an MCP server's tool begins with; that of no other tool does. */
const MCP_PREFIX = "mcp_";

/** The longest name of a tool that all providers take. */
export const MAX_TOOL_NAME_CHARS = 64;
/** A name that would be longer is cut, and ends with `_` and so many characters of a digest. */
export const NAME_DIGEST_CHARS = 6;

/** The name of an MCP server's tool. No server's name is the beginning of another's before `_`, so none has two meanings. */
export function mcpToolName(server: string, tool: string): string {
  return `${MCP_PREFIX}${server}_${tool}`;
}

/** OpenClaw's entry for the tools of all MCP servers. */
const OPENCLAW_MCP_GROUP = "bundle-mcp";

/** Whether a tool is one of an MCP server, by its name. */
export function isMcpTool(tool: string): boolean {
  return tool.startsWith(MCP_PREFIX);
}

const BUILT_IN = new Set([...Object.values(GROUPS).flat(), "update_plan", "find_tools"]);

/** Whether a name is that of a tool of the agent's own. */
export function isBuiltInTool(name: string): boolean {
  return BUILT_IN.has(name);
}

/** The groups there are: those, the tools of MCP servers, all built-in tools, and all others. */
export const TOOL_GROUPS: readonly string[] = [...Object.keys(GROUPS), "group:mcp", "group:openclaw", "group:plugins"];

function isInGroup(tool: string, group: string): boolean {
  if (group === "group:mcp") return isMcpTool(tool);
  if (group === "group:openclaw") return BUILT_IN.has(tool);
  if (group === "group:plugins") return !BUILT_IN.has(tool) && !isMcpTool(tool);
  return Object.hasOwn(GROUPS, group) && (GROUPS[group]?.includes(tool) ?? false);
}

/** A tool policy: a profile, and what is allowed and denied within it. */
export interface ToolPolicy {
  profile?: Profile | undefined;
  /** All of the profile if absent. */
  allow?: readonly string[] | undefined;
  deny: readonly string[];
}

type Profile = "minimal" | "messaging" | "coding" | "full";

/** Which tools each profile allows. */
const PROFILES: Record<Profile, (tool: string) => boolean> = {
  minimal: (tool) => tool === "session_status",
  messaging: (tool) =>
    ["group:messaging", "session_status", "sessions_list", "sessions_history", "sessions_send"].some((entry) =>
      matchesTool(entry, tool),
    ),
  coding: (tool) => !["canvas", "group:nodes"].some((entry) => matchesTool(entry, tool)),
  full: () => true,
};

/** Whether a policy allows a tool. A policy never adds tools. @param profile the one that holds if it names none */
export function policyAllows(policy: ToolPolicy, tool: string, profile: Profile = "coding"): boolean {
  const { allow, deny } = policy;
  if (deny.some((entry) => deniesTool(entry, tool))) return false;
  return PROFILES[policy.profile ?? profile](tool) && (allow === undefined || namesTool(allow, tool));
}

/** A prefix of OpenClaw's names of servers' tools, such as `tracker*`, goes on to deny; it does not allow by itself. */
function deniesTool(entry: string, tool: string): boolean {
  const name = entry.trim().toLowerCase();
  return matchesTool(entry, tool) || (name.endsWith("*") && matchesName(MCP_PREFIX + name, tool.toLowerCase()));
}

/** Whether a list names a tool: by name, former name, group, or prefix with a star. */
export function namesTool(entries: readonly string[], tool: string): boolean {
  return entries.some((entry) => matchesTool(entry, tool));
}

function matchesTool(entry: string, tool: string): boolean {
  const name = entry.trim().toLowerCase();
  if (name.startsWith("group:")) return isInGroup(tool, name);
  if (name === OPENCLAW_MCP_GROUP) return isMcpTool(tool);
  // The tools of other programs may have capitals in their names.
  const lower = tool.toLowerCase();
  return matchesName(name, lower) || (name.includes("__") && matchesServerName(name, lower));
}

function matchesName(name: string, tool: string): boolean {
  return name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : currentToolName(name) === tool;
}

/** Whether an entry names a tool of an MCP server as OpenClaw does: `<server>__<tool>`. */
function matchesServerName(name: string, tool: string): boolean {
  const current = MCP_PREFIX + name.replace("__", "_");
  if (current.length <= MAX_TOOL_NAME_CHARS) return matchesName(current, tool);
  // What its digest would be is not known here.
  const kept = current.slice(0, MAX_TOOL_NAME_CHARS - NAME_DIGEST_CHARS - 1);
  return tool.length === MAX_TOOL_NAME_CHARS && tool.startsWith(kept);
}

/** The current name of a tool that had another name before. */
export function currentToolName(name: string): string {
  const lower = name.trim().toLowerCase();
  return FORMER_NAMES[lower] ?? lower;
}

const FORMER_NAMES: Readonly<Record<string, string | undefined>> = { bash: "exec", "apply-patch": "apply_patch" };
