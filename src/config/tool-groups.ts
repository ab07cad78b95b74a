/** Tools that policies name together. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  "group:fs": ["read", "write", "edit", "apply_patch", "grep", "find", "ls"],
  "group:runtime": ["exec", "process"],
  "group:web": ["web_search", "web_fetch"],
  "group:ui": ["browser", "canvas"],
  "group:nodes": ["nodes"],
  "group:automation": ["cron", "gateway"],
  "group:messaging": ["message"],
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

const BUILT_IN = new Set([...Object.values(GROUPS).flat(), "image", "update_plan"]);

/** The groups there are: those, all built-in tools, and all others. */
export const TOOL_GROUPS: readonly string[] = [...Object.keys(GROUPS), "group:openclaw", "group:plugins"];

/** Whether a tool is in a group. */
export function isInGroup(tool: string, group: string): boolean {
  if (group === "group:openclaw") return BUILT_IN.has(tool);
  if (group === "group:plugins") return !BUILT_IN.has(tool);
  return Object.hasOwn(GROUPS, group) && (GROUPS[group]?.includes(tool) ?? false);
}
