/** The names of all built-in tools, whether or not a turn has them; no other tool may have one of them. */
export const TOOL_NAMES: ReadonlySet<string> = new Set([
  "cron",
  ...[
    "read",
    "write",
    "edit",
    "apply_patch",
    "grep",
    "find",
    "ls",
    "exec",
    "process",
    "message",
    "gateway",
    "update_plan",
  ],
  ...["agents_list", "sessions_list", "sessions_history", "sessions_send", "sessions_spawn", "subagents"],
  ...["session_status", "web_search", "web_fetch", "browser", "memory_search", "memory_get"],
  ...["image", "image_generate", "transcribe", "tts"],
]);
