import type { SandboxFacts, StableInput } from "../input.ts";
import { lines } from "../lines.ts";
import type { Section } from "../section.ts";

/** That commands run in a sandbox, and what can be reached from it. */
export const sandbox: Section<StableInput> = {
  name: "sandbox",
  modes: ["full", "minimal"],
  render(input) {
    if (input.sandbox === undefined) return undefined;
    const { dir, access, elevated, browser } = input.sandbox;
    return lines(
      "## Sandbox",
      `Commands run in a sandbox, and so do those of sub-agents. In it the workspace is at ${dir}${ACCESS[access]}.`,
      elevated
        ? "Elevated exec is available: outside the sandbox, only when the user asks for it."
        : "Elevated exec is not available: if something needs it, say so instead of trying.",
      browser && "A browser inside the sandbox is available.",
    );
  },
};

const ACCESS: Record<SandboxFacts["access"], string> = {
  none: ", a copy of its own",
  "read-only": ", read-only",
  "read-write": ", readable and writable",
};
