import { isInGroup } from "../config/tools-schema.ts";

/** A tool policy: a profile, and what is allowed and denied within it. */
export interface ToolPolicy {
  profile?: Profile | undefined;
  /** All of the profile if absent. */
  allow?: readonly string[] | undefined;
  deny: readonly string[];
}

type Profile = "minimal" | "messaging" | "coding" | "full";

/** Which of the turn's tools each profile allows. */
const PROFILES: Record<Profile, (tool: string) => boolean> = {
  minimal: (tool) => tool === "session_status",
  messaging: (tool) =>
    ["group:messaging", "session_status", "sessions_list", "sessions_history", "sessions_send"].some((entry) =>
      matchesTool(entry, tool),
    ),
  coding: (tool) => !["group:ui", "group:nodes"].some((entry) => matchesTool(entry, tool)),
  full: () => true,
};

/** Whether all policies allow a tool. A policy never adds tools. */
export function allowsTool(policies: readonly ToolPolicy[], tool: string): boolean {
  return policies.every(({ profile = "coding", allow, deny }) => {
    if (deny.some((entry) => matchesTool(entry, tool))) return false;
    return PROFILES[profile](tool) && (allow === undefined || allow.some((entry) => matchesTool(entry, tool)));
  });
}

/** Whether an entry of a list matches a tool: by name, former name, group, or prefix with a star. */
function matchesTool(entry: string, tool: string): boolean {
  const name = entry.trim().toLowerCase();
  if (name.startsWith("group:")) return isInGroup(tool, name);
  if (name.endsWith("*")) return tool.startsWith(name.slice(0, -1));
  return currentToolName(name) === tool;
}

/** The current name of a tool that had another name before. */
export function currentToolName(name: string): string {
  const lower = name.trim().toLowerCase();
  return FORMER_NAMES[lower] ?? lower;
}

const FORMER_NAMES: Readonly<Record<string, string | undefined>> = { bash: "exec", "apply-patch": "apply_patch" };
