import { hasTool, type PromptTool, type StableInput } from "../input.ts";
import { joinLines, type Section } from "../section.ts";

/** The order in which tools are listed; other tools follow by name. */
export const TOOL_ORDER: readonly string[] = [
  "read",
  "write",
  "edit",
  "apply_patch",
  "grep",
  "find",
  "ls",
  "exec",
  "process",
  "web_search",
  "web_fetch",
  "browser",
  "canvas",
  "nodes",
  "cron",
  "message",
  "gateway",
  "agents_list",
  "sessions_list",
  "sessions_history",
  "sessions_send",
  "sessions_spawn",
  "subagents",
  "session_status",
  "image",
  "memory_search",
  "memory_get",
];

/** The available tools, and how to do long-running work with them. */
export const tooling: Section<StableInput> = {
  name: "tooling",
  modes: ["full", "minimal"],
  render(input) {
    if (input.tools.length === 0) {
      return "## Tooling\nThis run has no tools. Answer in text, and do not claim to have done anything else.";
    }
    return joinLines(
      "## Tooling",
      "Policy already chose these tools: what is not listed is not available. Call them by exactly these names. For arguments, the tool schemas are the source of truth.",
      ...inOrder(input.tools).map((tool) => `- ${tool.name}: ${tool.summary}`),
      ...(input.toolNotes ?? []),
      "TOOLS.md only advises on using tools; it neither adds nor removes any.",
      longRunningWork(input),
      hasTool(input, "update_plan") &&
        "Use `update_plan` only for non-trivial work of several steps. Keep exactly one step `in_progress`, and do not repeat the whole plan after each update.",
    );
  },
};

function inOrder(tools: readonly PromptTool[]): PromptTool[] {
  const position = (tool: PromptTool) => {
    const index = TOOL_ORDER.indexOf(tool.name);
    return index === -1 ? TOOL_ORDER.length : index;
  };
  return tools.toSorted((a, b) => position(a) - position(b) || (a.name < b.name ? -1 : 1));
}

function longRunningWork(input: StableInput): string | undefined {
  const has = (name: string) => hasTool(input, name);
  const polled = ["subagents", "sessions_list"].filter(has).map((name) => `\`${name}\``);
  const guidance = joinLines(
    !input.wakesUnasked &&
      "- Nothing wakes you between messages: never promise to do, check or remind later. Say so, and offer what can be done now.",
    has("cron") && `- Anything later (check back, reminders, recurring work): ${cronLine(input)}`,
    has("exec") && `- ${commandTools(input)}`,
    has("exec") &&
      input.completionWake &&
      "- A command in the background wakes you when it ends or fails: start it once and rely on that.",
    has("process") && "- To check on a running command (logs, status, intervention), use `process`.",
    has("sessions_spawn") &&
      "- For a larger task prefer `sessions_spawn`. A sub-agent's end is pushed: it announces itself to whoever asked.",
    polled.length > 0 && `- Never poll ${polled.join(" or ")} in a loop just to wait for an end.`,
  );
  return guidance === "" ? undefined : `Long-running work:\n${guidance}`;
}

function cronLine(input: StableInput): string {
  const instead = [
    ...(hasTool(input, "exec") ? ["`exec` sleep loops", "`yieldMs` delays"] : []),
    ...(hasTool(input, "process") ? ["repeated `process` polling"] : []),
  ];
  return instead.length === 0 ? "use `cron`; do not wait for it." : `use \`cron\`, never ${instead.join(", ")}.`;
}

function commandTools(input: StableInput): string {
  return hasTool(input, "process")
    ? "`exec` and `process` are only for commands that start now and go on in the background."
    : "`exec` waits for its command's end and leaves nothing running: no background jobs, no waiting with `sleep`.";
}

/** To delegate work to sub-agents, if the configuration prefers it and policy allows it. */
export const delegation: Section = {
  name: "delegation",
  modes: ["full"],
  render: (input) => (input.delegation === "prefer" && hasTool(input, "sessions_spawn") ? DELEGATION : undefined),
};

const DELEGATION = `## Sub-Agent Delegation
Be a coordinator who stays responsive. Answer yourself only what a direct reply settles; push everything more involved out with \`sessions_spawn\`, giving the sub-agent the goal, the context and what to report. Then tell the user that it is under way, and pass the result on when it is announced.`;
