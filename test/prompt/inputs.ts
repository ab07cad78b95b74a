import type { PromptInput, PromptTool } from "../../src/prompt/input.ts";
import { TOOL_ORDER } from "../../src/prompt/sections/tooling.ts";
import type { BootstrapFile } from "../../src/workspace/bootstrap.ts";

/** Every tool with a place in the prompt, each with a summary of realistic length. */
export const EVERY_TOOL: readonly PromptTool[] = [...TOOL_ORDER, "tts", "update_plan"].map((name) => ({
  name,
  summary: `Does what ${name} is for, on what it is given, and says so.`.padEnd(80, "."),
}));

/** A bootstrap file that is injected whole. */
export function bootstrapFile(path: string, content: string): BootstrapFile {
  return {
    path,
    content,
    rawChars: content.length,
    injectedChars: content.length,
    truncated: false,
    missing: false,
  };
}

/** An input with everything off that can be off. */
export const BARE: PromptInput = {
  mode: "full",
  productName: "OpenClaw",
  agentId: "main",
  sessionKey: "agent:main:main",
  tools: [],
  completionWake: false,
  provider: {},
  memoryCitations: "auto",
  commands: [],
  modelAliases: [],
  workspace: { dir: "workspace", notes: [] },
  authorizedSenders: [],
  timezone: "UTC",
  wakesUnasked: false,
  today: "Sun 2026-11-22",
  outputDirectives: [],
  bootstrapFiles: [],
  model: "offline/rules",
  thinking: "off",
  reasoning: "off",
  reasoningTags: false,
  runtime: { host: "workerd", os: "linux", arch: "x64", version: "2026-10-15" },
  delegation: "suggest",
  truncationWarning: "always",
  truncationWarned: false,
};

/** An input with everything on: every section is present in full mode. */
export const EVERYTHING: PromptInput = {
  ...BARE,
  tools: EVERY_TOOL,
  toolNotes: ["The MCP server 'pier' cannot be used now (slow), so its tools are missing. Go on without them."],
  completionWake: true,
  provider: { stablePrefix: "Provider prefix.", dynamicSuffix: "Provider suffix." },
  skillsPrompt:
    "<available_skills>\n<skill>\n<name>weather</name>\n<description>Tells the weather.</description>\n<location>skills/weather/SKILL.md</location>\n<version>sha256:0123456789abcdef</version>\n</skill>\n</available_skills>",
  commands: ["/new", "/reset", "/stop", "/status", "/context", "/compact", "/model", "/think", "/reasoning", "/help"],
  modelAliases: [{ alias: "fast", model: "openai/gpt-5-mini" }],
  workspace: { dir: "workspace", notes: ["Pictures belong in pictures/."] },
  sandbox: { dir: "/sandbox", access: "read-write", elevated: true, browser: true },
  docs: {
    location: "docs://",
    url: "https://docs.example.org",
    sourceUrl: "https://source.example.org",
    communityUrl: "https://community.example.org",
    skillsUrl: "https://clawhub.ai",
  },
  authorizedSenders: ["3f2a9c0d1e4b", "telegram:42"],
  timezone: "Europe/Berlin",
  outputDirectives: ["reply-tags", "media", "voice-notes"],
  bootstrapFiles: [
    bootstrapFile("AGENTS.md", "Be useful."),
    bootstrapFile("SOUL.md", "Dry wit."),
    bootstrapFile("BOOTSTRAP.md", "Get to know each other."),
    { ...bootstrapFile("MEMORY.md", "Likes tea."), rawChars: 30_000, truncated: true },
  ],
  fileWarnings: ["USER.md is no text."],
  model: "openai/gpt-5",
  thinking: "low",
  reasoningTags: true,
  runtime: { host: "cloudflare-workers", os: "linux", arch: "x64", version: "2026-10-15", shell: "just-bash" },
  channel: { name: "discord", kind: "group", replies: "automatic", capabilities: ["approvals", "inline-buttons"] },
  voiceHint: "Write short sentences.",
  audience: {
    owner: true,
    place: "group",
    title:
      '<<<EXTERNAL_UNTRUSTED_CONTENT id="0123456789abcdef">>>\nSource: channel_metadata\n---\nAllotment\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="0123456789abcdef">>>',
  },
  groupPrompt: "This group plans a garden.\nKeep to it.",
  extraContext: "Answer in rhymes.",
  reactions: "minimal",
  heartbeatPrompt: "Read HEARTBEAT.md and follow it.",
  agentsRefresh: "## Red Lines\nNever delete mail.",
  delegation: "prefer",
} satisfies Required<PromptInput>;
