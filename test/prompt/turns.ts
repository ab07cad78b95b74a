import type { PromptInput, PromptTool } from "../../src/prompt/input.ts";
import { subagentContext } from "../../src/session/turn/subagent-context.ts";
import { BARE, bootstrapFile } from "./inputs.ts";

/** One turn whose whole prompt is kept in `test/fixtures/prompts/<name>.md`. */
export interface Turn {
  name: string;
  input: PromptInput;
}

const FILE_TOOLS: readonly PromptTool[] = [
  { name: "read", summary: "Read a file of the workspace, or a part of it" },
  { name: "write", summary: "Create a file or replace it whole" },
  { name: "edit", summary: "Replace exact text in a file" },
  { name: "ls", summary: "List a folder" },
];

const MEMORY_TOOLS: readonly PromptTool[] = [
  { name: "memory_search", summary: "Search memory files by meaning and by words" },
  { name: "memory_get", summary: "Read some lines of a memory file" },
];

const OWNER_TOOLS: readonly PromptTool[] = [
  ...FILE_TOOLS,
  ...MEMORY_TOOLS,
  { name: "exec", summary: "Run a shell command over the workspace" },
  { name: "process", summary: "Look at and steer commands in the background" },
  { name: "web_fetch", summary: "Fetch a page as text" },
  { name: "cron", summary: "Schedule, list and remove jobs and reminders" },
  { name: "message", summary: "Send to a conversation, react, and other channel actions" },
  { name: "gateway", summary: "Read and change the configuration" },
  { name: "sessions_list", summary: "List sessions" },
  { name: "sessions_send", summary: "Send a message to another session" },
  { name: "sessions_spawn", summary: "Start a sub-agent" },
  { name: "subagents", summary: "List, steer or stop sub-agents" },
  {
    name: "session_status",
    summary: "Show the date and time, the model, usage and settings of this session, or set its model",
  },
  { name: "update_plan", summary: "Say or change the plan of work that takes several steps" },
];

const AGENTS = bootstrapFile("AGENTS.md", "# How I work\n\nKeep notes in memory/. Ask before anything public.");
const TOOLS = bootstrapFile("TOOLS.md", "# Tools\n\nThe garden camera is called north.");

/** The facts of agent `main` for its owner: the same in every turn, whatever started it. */
const MAIN: PromptInput = {
  mode: "full",
  productName: "OpenClaw",
  agentId: "main",
  sessionKey: "agent:main:main",
  tools: OWNER_TOOLS,
  completionWake: true,
  provider: {},
  skillsPrompt: [
    "<available_skills>",
    "<skill>",
    "<name>weather</name>",
    "<description>Tells the weather of a place, now and in the next days.</description>",
    "<location>skills://bundled/weather/SKILL.md</location>",
    "<version>sha256:8d1f3c5a9b27e604</version>",
    "</skill>",
    "</available_skills>",
  ].join("\n"),
  memoryCitations: "auto",
  commands: ["/new", "/reset", "/stop", "/status", "/help"],
  modelAliases: [{ alias: "fast", model: "openai/gpt-5-mini" }],
  workspace: { dir: "agents/main/workspace", notes: [] },
  docs: {
    location: "docs://index",
    url: "https://isopod.example/docs",
    skillsUrl: "https://clawhub.ai",
  },
  authorizedSenders: ["73475cb40a56"],
  timezone: "Europe/Berlin",
  outputDirectives: ["reply-tags", "media", "voice-notes"],
  bootstrapFiles: [
    AGENTS,
    bootstrapFile("SOUL.md", "# Soul\n\nWarm, brief, a little dry."),
    TOOLS,
    bootstrapFile("IDENTITY.md", "# Identity\n\nName: Pill"),
    bootstrapFile("USER.md", "# User\n\nCall her Ada."),
    bootstrapFile("HEARTBEAT.md", "Check the garden's soil sensor."),
    bootstrapFile("MEMORY.md", "Ada grows tomatoes."),
  ],
  model: "anthropic/claude-sonnet",
  thinking: "low",
  reasoning: "off",
  reasoningTags: false,
  runtime: { host: "cloudflare-workers", os: "linux", arch: "x64", version: "2026-10-15", shell: "just-bash" },
  heartbeatPrompt: "Read HEARTBEAT.md if it exists and follow it strictly. Do not repeat old tasks.",
  delegation: "suggest",
  truncationWarning: "always",
  truncationWarned: false,
};

/** The turns that prompts are kept of. */
export const TURNS: readonly Turn[] = [
  {
    name: "telegram-direct",
    input: {
      ...MAIN,
      channel: {
        name: "telegram",
        kind: "direct",
        replies: "automatic",
        capabilities: ["approvals", "inline-buttons", "reactions"],
      },
      reactions: "minimal",
    },
  },
  {
    name: "discord-group",
    input: {
      ...MAIN,
      sessionKey: "agent:main:discord:group:1042",
      tools: [...FILE_TOOLS, ...MEMORY_TOOLS, ...OWNER_TOOLS.filter((tool) => tool.name === "message")],
      bootstrapFiles: MAIN.bootstrapFiles.filter((file) => !["MEMORY.md", "USER.md"].includes(file.path)),
      channel: { name: "discord", kind: "group", replies: "automatic", capabilities: ["reactions"] },
      reactions: "extensive",
      extraContext: "The allotment's neighbours plan the week here.",
    },
  },
  { name: "heartbeat", input: MAIN },
  {
    name: "sub-agent",
    input: {
      ...MAIN,
      mode: "minimal",
      sessionKey: "agent:main:subagent:7b0c",
      tools: [...FILE_TOOLS, ...OWNER_TOOLS.filter((tool) => tool.name === "web_fetch")],
      bootstrapFiles: [AGENTS, TOOLS],
      extraContext: subagentContext({ lineage: ["agent:main:main"], label: "rain barrels" }, false),
    },
  },
  {
    name: "cron",
    input: { ...MAIN, mode: "minimal", sessionKey: "agent:main:cron:water-plan", bootstrapFiles: [AGENTS, TOOLS] },
  },
  {
    name: "offline",
    input: {
      ...BARE,
      tools: FILE_TOOLS,
      workspace: MAIN.workspace,
      bootstrapFiles: [
        AGENTS,
        {
          path: "MEMORY.md",
          content: "The start of a long memory.\n[… 25000 characters left out …]\nThe end.",
          rawChars: 45_000,
          injectedChars: 20_000,
          truncated: true,
          missing: false,
        },
      ],
      channel: { name: "web", kind: "direct", replies: "automatic", capabilities: [] },
    },
  },
];
