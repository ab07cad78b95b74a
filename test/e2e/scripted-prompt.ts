import type { Prompt, PromptSection } from "../../src/client/wire.ts";

const SAFETY = "## Safety\nYou have no goals of your own. <script>window.bad = 1</script>";
const RUNTIME = "## Runtime\nRuntime: agent=main | model=offline/rules";

/** A prompt as the server shows it, for the page to show. */
export function scriptedPrompt(more: Partial<Prompt> = {}): Prompt {
  return {
    agentId: "main",
    sessionKey: "agent:main:main",
    mode: "full",
    model: "offline/rules",
    stableHash: "0b1a".padEnd(64, "0"),
    hash: "5d2f0c1e9b7a".padEnd(64, "0"),
    text: "",
    sections: [
      section("safety", "above", { kind: "section", name: "src/prompt/sections/safety.ts" }, SAFETY, 420),
      section("project-context", "above", { kind: "workspace", name: "AGENTS.md, SOUL.md" }, "# Project Context", 1800),
      section("weather/today", "below", { kind: "plugin", name: "weather" }, "It rains.", 12),
      section("runtime", "below", { kind: "section", name: "src/prompt/sections/runtime.ts" }, RUNTIME, 60),
    ],
    files: [
      { path: "AGENTS.md", rawChars: 2400, injectedChars: 2400, tokens: 600, truncated: false, missing: false },
      { path: "SOUL.md", rawChars: 31_000, injectedChars: 20_000, tokens: 5000, truncated: true, missing: false },
      { path: "USER.md", rawChars: 0, injectedChars: 30, tokens: 8, truncated: false, missing: true },
    ],
    tools: [
      {
        name: "read",
        schemaBytes: 310,
        tokens: 120,
        description: "Reads a file of the workspace.",
        parameters: { type: "object", properties: { path: { type: "string" } } },
      },
    ],
    totals: {
      prompt: size(2292),
      above: size(2220),
      below: size(72),
      tools: { count: 1, schemaBytes: 310, tokens: 120 },
    },
    ...more,
  };
}

function section(
  name: string,
  layer: PromptSection["layer"],
  source: PromptSection["source"],
  text: string,
  tokens: number,
): PromptSection {
  return { name, layer, source, text, ...size(tokens) };
}

function size(tokens: number) {
  return { tokens, chars: 4 * tokens, bytes: 4 * tokens };
}
