import { describe, expect, it } from "vitest";
import type { PromptInput } from "../../src/prompt/input.ts";
import { TOOL_ORDER } from "../../src/prompt/sections/tooling.ts";
import { promptText, renderSystemPrompt } from "../../src/prompt/system-prompt.ts";
import { BARE, bootstrapFile, EVERY_TOOL, EVERYTHING } from "./inputs.ts";
import { randomFrom, subset } from "./random.ts";

function names(input: PromptInput): string[] {
  return renderSystemPrompt(input).sections.map((section) => section.name);
}

function text(input: PromptInput): string {
  return promptText(renderSystemPrompt(input));
}

function tools(...wanted: string[]) {
  return wanted.map((name) => ({ name, summary: "A tool." }));
}

const GROUP = { name: "discord", kind: "group", replies: "automatic", capabilities: [] } as const;

/** The input that makes each conditional section appear. */
const ENABLING: [section: string, inputs: Partial<PromptInput>][] = [
  ["provider-prefix", { provider: { stablePrefix: "First." } }],
  ["tool-call-style", { tools: tools("read") }],
  ["control", { commands: ["/new"] }],
  ["control", { tools: tools("gateway") }],
  ["skills", { skillsPrompt: "<available_skills/>", tools: tools("read") }],
  ["memory-recall", { tools: tools("memory_search") }],
  ["memory-recall", { tools: tools("memory_get") }],
  ["self-update", { tools: tools("gateway") }],
  ["model-aliases", { modelAliases: [{ alias: "fast", model: "openai/gpt-5-mini" }] }],
  ["documentation", { docs: EVERYTHING.docs! }],
  ["sandbox", { sandbox: EVERYTHING.sandbox! }],
  ["authorized-senders", { authorizedSenders: ["42"] }],
  ["output-directives", { outputDirectives: ["reply-tags"] }],
  ["workspace-files", { bootstrapFiles: [bootstrapFile("AGENTS.md", "Hello.")] }],
  ["project-context", { bootstrapFiles: [bootstrapFile("AGENTS.md", "Hello.")] }],
  ["truncation-notice", { bootstrapFiles: [{ ...bootstrapFile("AGENTS.md", "He"), truncated: true }] }],
  ["messaging", { channel: GROUP }],
  ["messaging", { tools: tools("message") }],
  ["voice", { voiceHint: "Short." }],
  ["audience", { audience: { owner: true, place: "direct" } }],
  ["group-context", { groupPrompt: "A garden." }],
  ["extra-context", { extraContext: "A garden." }],
  ["reactions", { reactions: "minimal", channel: GROUP }],
  ["silent-replies", { channel: GROUP }],
  ["heartbeats", { heartbeatPrompt: "Look." }],
  ["reasoning-format", { reasoningTags: true }],
  ["delegation", { delegation: "prefer", tools: tools("sessions_spawn") }],
  ["provider-suffix", { provider: { dynamicSuffix: "Last." } }],
];

describe("a prompt section is present if its condition holds", () => {
  it.each(ENABLING)("%s", (section, inputs) => {
    expect(names(BARE)).not.toContain(section);
    expect(names({ ...BARE, ...inputs })).toContain(section);
  });
});

describe("a prompt section is absent if half of its condition holds", () => {
  it("no skills without a list, or without the read tool", () => {
    expect(names({ ...BARE, tools: tools("read"), skillsPrompt: " \n" })).not.toContain("skills");
    expect(names({ ...BARE, skillsPrompt: "<available_skills/>" })).not.toContain("skills");
  });

  it("no delegation without the tool, or if it is only suggested", () => {
    expect(names({ ...BARE, delegation: "prefer" })).not.toContain("delegation");
    expect(names({ ...BARE, tools: tools("sessions_spawn") })).not.toContain("delegation");
  });

  it("no reactions without a channel", () => {
    expect(names({ ...BARE, reactions: "minimal" })).not.toContain("reactions");
  });
});

describe("the silent replies section", () => {
  it("is present in groups and rooms with automatic replies", () => {
    expect(text({ ...BARE, channel: GROUP })).toContain("NO_REPLY");
    expect(text({ ...BARE, channel: { ...GROUP, kind: "channel" } })).toContain("NO_REPLY");
  });

  it("is absent in direct conversations, and if only the message tool replies", () => {
    expect(text({ ...EVERYTHING, channel: { ...GROUP, kind: "direct" } })).not.toContain("NO_REPLY");
    expect(text({ ...EVERYTHING, channel: { ...GROUP, replies: "message-tool" } })).not.toContain("NO_REPLY");
  });
});

describe("tools in the prompt", () => {
  it("are listed in the documented order, and the rest by name", () => {
    const given = [...tools("zeta", "alpha"), ...EVERY_TOOL].toReversed();
    const listed = [...text({ ...BARE, tools: given }).matchAll(/^- (\w+): /gm)].map((match) => match[1]);
    expect(listed).toEqual([...TOOL_ORDER, "alpha", "tts", "update_plan", "zeta"]);
  });

  it("are not mentioned by any section if unavailable, over 500 random sets of tools", () => {
    const random = randomFrom(1);
    const known = new Set(EVERY_TOOL.map((tool) => tool.name));
    for (let i = 0; i < 500; i++) {
      const enabled = subset(EVERY_TOOL, random);
      const named = [...text({ ...EVERYTHING, tools: enabled }).matchAll(/`(\w+)/g)].map((match) => match[1]!);
      const off = named.filter((name) => known.has(name) && !enabled.some((tool) => tool.name === name));
      expect(off).toEqual([]);
    }
  });

  it("are stated to be absent in a run without tools", () => {
    expect(text(BARE)).toContain("This run has no tools.");
  });
});

describe("a provider's replacement of a prompt section", () => {
  it.each([
    ["tool_call_style", "tool-call-style"],
    ["execution_bias", "execution-bias"],
    ["interaction_style", "interaction-style"],
  ])("of %s takes that section's place and no other's", (key, section) => {
    const ours = renderSystemPrompt(EVERYTHING);
    const theirs = renderSystemPrompt({
      ...EVERYTHING,
      provider: { ...EVERYTHING.provider, replace: { [key]: "Mine." } },
    });
    expect(theirs.sections.map(({ name }) => name)).toEqual(ours.sections.map(({ name }) => name));
    const changed = theirs.sections.filter((one, i) => one.text !== ours.sections[i]!.text);
    expect(changed.map(({ name, text }) => [name, text])).toEqual([[section, "Mine."]]);
    expect(theirs.system.stable).toContain("\n\nMine.\n\n");
  });
});

describe("the workspace section", () => {
  it("mentions file tools and commands only if available", () => {
    expect(text(BARE)).not.toMatch(/File tools|command/i);
    expect(text({ ...BARE, tools: tools("read") })).toMatch(/File tools take paths relative to it/);
    expect(text({ ...BARE, tools: tools("exec") })).toMatch(/A command starts in this directory/);
    expect(text({ ...BARE, tools: tools("exec") })).not.toMatch(/with file tools/);
  });
});

describe("the project context section", () => {
  it("has its heading, its sentence, and each file under its path as it is", () => {
    const files = [bootstrapFile("AGENTS.md", "One.\r\n\tTwo.\u200b\n"), bootstrapFile("TOOLS.md", "Three.")];
    expect(text({ ...BARE, bootstrapFiles: files })).toContain(
      "# Project Context\nThe following project context files have been loaded:\n\n## AGENTS.md\nOne.\r\n\tTwo.\u200b\n\n\n## TOOLS.md\nThree.",
    );
  });

  it("asks for the persona if there is a SOUL.md in any case", () => {
    const persona = "If SOUL.md is present, embody its persona and tone.";
    expect(text({ ...BARE, bootstrapFiles: [bootstrapFile("soul.md", "Dry.")] })).toContain(persona);
    expect(text({ ...BARE, bootstrapFiles: [bootstrapFile("AGENTS.md", "Hi.")] })).not.toContain(persona);
    const missing = { ...bootstrapFile("SOUL.md", "[missing]"), missing: true };
    expect(text({ ...BARE, bootstrapFiles: [missing] })).not.toContain(persona);
  });
});

describe("the truncation notice", () => {
  const cut = { ...bootstrapFile("MEMORY.md", "x".repeat(100)), rawChars: 2_000, truncated: true };
  const whole = bootstrapFile("AGENTS.md", "Hello.");
  const input: PromptInput = { ...BARE, bootstrapFiles: [whole, cut] };

  it("names the truncated files with their sizes", () => {
    const notice = text(input).split("## Truncated Workspace Files")[1];
    expect(notice).toContain("- MEMORY.md: 100 of 2000 characters");
    expect(notice).not.toContain("AGENTS.md");
  });

  it.each([
    ["off", false, false],
    ["once", false, true],
    ["once", true, false],
    ["always", true, true],
  ] as const)(
    "in mode %s, when the session was warned: %s, is there: %s",
    (truncationWarning, truncationWarned, there) => {
      expect(names({ ...input, truncationWarning, truncationWarned }).includes("truncation-notice")).toBe(there);
    },
  );
});

describe("the text about files for a turn without workspace access", () => {
  const cut = { ...bootstrapFile("MEMORY.md", "x".repeat(100)), rawChars: 2_000, truncated: true };
  const open: PromptInput = { ...BARE, bootstrapFiles: [cut], fileWarnings: ["SOUL.md is no text."] };
  const closed: PromptInput = { ...open, workspace: { ...open.workspace, closed: true } };

  it.each(["read one again", "mend it where you can", "Read the rest", "Offer to distil"])(
    "does not ask for what takes a file tool: %s",
    (asked) => {
      expect(text(open)).toContain(asked);
      expect(text(closed)).not.toContain(asked);
    },
  );

  it("says which files are loaded, and how much of them", () => {
    expect(text(closed)).toContain("They are loaded already.");
    expect(text(closed)).toContain("- MEMORY.md: 100 of 2000 characters");
  });
});

describe("the extra context section", () => {
  it("is labelled as a client's in a full prompt and as a sub-agent's in a minimal one", () => {
    expect(text({ ...BARE, extraContext: "A garden." })).toContain("## Instructions of the Client\nA garden.");
    expect(text({ ...BARE, mode: "minimal", extraContext: "A garden." })).toContain("## Subagent Context\nA garden.");
  });
});

describe("a reply that only the message tool sends", () => {
  it("is described as private", () => {
    const channel = { ...GROUP, replies: "message-tool" } as const;
    expect(text({ ...BARE, channel, tools: tools("message") })).toContain("stays private");
    expect(text({ ...BARE, channel: GROUP, tools: tools("message") })).not.toContain("stays private");
  });
});
