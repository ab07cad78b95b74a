/** Tools that policies name together. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "group:fs": ["read", "write", "edit", "apply_patch", "grep", "find", "ls"],
  "group:runtime": ["exec", "process"],
  "group:web": ["web_search", "web_fetch"],
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
  ["browser", "Isopod drives no browser; `web_fetch` reads pages."],
  ["canvas", "Isopod has no app that shows a canvas."],
  ["nodes", "Isopod has no nodes: no devices are paired with it."],
]);

/** The tools of those that a list names, by name or by a group of nothing else. */
export function reservedIn(entries: readonly string[]): string[] {
  const narrow = entries.filter((entry) => !entry.includes("*") && entry.trim().toLowerCase() !== "group:openclaw");
  return [...RESERVED_TOOLS.keys()].filter((tool) => namesTool(narrow, tool));
}

/** What stands between the server and the tool in the name of an MCP server's tool; no other tool has it. */
export const MCP_SEPARATOR = "__";

const BUILT_IN = new Set([...Object.values(GROUPS).flat(), "update_plan"]);

/** The groups there are: those, the tools of MCP servers, all built-in tools, and all others. */
export const TOOL_GROUPS: readonly string[] = [...Object.keys(GROUPS), "group:mcp", "group:openclaw", "group:plugins"];

function isInGroup(tool: string, group: string): boolean {
  if (group === "group:mcp") return isMcp(tool);
  if (group === "group:openclaw") return BUILT_IN.has(tool);
  if (group === "group:plugins") return !BUILT_IN.has(tool) && !isMcp(tool);
  return Object.hasOwn(GROUPS, group) && (GROUPS[group]?.includes(tool) ?? false);
}

function isMcp(tool: string): boolean {
  return tool.includes(MCP_SEPARATOR);
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
  coding: (tool) => !["group:ui", "group:nodes"].some((entry) => matchesTool(entry, tool)),
  full: () => true,
};

/** Whether a policy allows a tool. A policy never adds tools. @param profile the one that holds if it names none */
export function policyAllows(policy: ToolPolicy, tool: string, profile: Profile = "coding"): boolean {
  const { allow, deny } = policy;
  if (deny.some((entry) => matchesTool(entry, tool))) return false;
  return PROFILES[policy.profile ?? profile](tool) && (allow === undefined || namesTool(allow, tool));
}

/** Whether a list names a tool: by name, former name, group, or prefix with a star. */
export function namesTool(entries: readonly string[], tool: string): boolean {
  return entries.some((entry) => matchesTool(entry, tool));
}

function matchesTool(entry: string, tool: string): boolean {
  const name = entry.trim().toLowerCase();
  if (name.startsWith("group:")) return isInGroup(tool, name);
  // The tools of other programs may have capitals in their names.
  const lower = tool.toLowerCase();
  if (name.endsWith("*")) return lower.startsWith(name.slice(0, -1));
  return currentToolName(name) === lower;
}

/** The current name of a tool that had another name before. */
export function currentToolName(name: string): string {
  const lower = name.trim().toLowerCase();
  return FORMER_NAMES[lower] ?? lower;
}

const FORMER_NAMES: Readonly<Record<string, string | undefined>> = { bash: "exec", "apply-patch": "apply_patch" };
