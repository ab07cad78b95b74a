import { isInGroup } from "../config/tools-schema.ts";

/** Which tools there are: a profile to begin with, what is left of it, and what is taken away. */
export interface ToolPolicy {
  profile?: Profile | undefined;
  /** All of the profile where absent. */
  allow?: readonly string[] | undefined;
  deny: readonly string[];
}

type Profile = "minimal" | "messaging" | "coding" | "full";

/** Which tools, of those that a speaker may have, each profile leaves on. */
const PROFILES: Record<Profile, (tool: string) => boolean> = {
  minimal: (tool) => tool === "session_status",
  messaging: (tool) =>
    ["group:messaging", "session_status", "sessions_list", "sessions_history", "sessions_send"].some((entry) =>
      names(entry, tool),
    ),
  coding: (tool) => !["group:ui", "group:nodes"].some((entry) => names(entry, tool)),
  full: () => true,
};

/** Whether every one of the policies leaves a tool on. None of them adds any. */
export function leavesOn(policies: readonly ToolPolicy[], tool: string): boolean {
  return policies.every(({ profile = "coding", allow, deny }) => {
    if (deny.some((entry) => names(entry, tool))) return false;
    return PROFILES[profile](tool) && (allow === undefined || allow.some((entry) => names(entry, tool)));
  });
}

/** Whether an entry of a list names a tool: by its name, a former one, its group, or a beginning with a star. */
function names(entry: string, tool: string): boolean {
  const name = entry.trim().toLowerCase();
  if (name.startsWith("group:")) return isInGroup(tool, name);
  if (name.endsWith("*")) return tool.startsWith(name.slice(0, -1));
  return presentName(name) === tool;
}

/** The name that a tool has now which somebody calls by a name of before. */
export function presentName(name: string): string {
  const lower = name.trim().toLowerCase();
  return FORMER[lower] ?? lower;
}

const FORMER: Readonly<Record<string, string | undefined>> = { bash: "exec", "apply-patch": "apply_patch" };
