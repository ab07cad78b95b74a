import type { StableInput } from "../input.ts";
import { lines } from "../lines.ts";
import type { Section } from "../section.ts";

/** The bootstrap files themselves, each under its path, and the persona's due where there is a SOUL.md. */
export const projectContext: Section<StableInput> = {
  name: "project-context",
  modes: ["full", "minimal"],
  render(input) {
    if (input.bootstrapFiles.length === 0) return undefined;
    const hasSoul = input.bootstrapFiles.some((file) => !file.missing && isSoul(file.path));
    const heading = lines(
      "# Project Context",
      "The following project context files have been loaded:",
      hasSoul &&
        "If SOUL.md is present, embody its persona and tone. Avoid stiff, generic replies; follow its guidance unless higher-priority instructions override it.",
    );
    return [heading, ...input.bootstrapFiles.map((file) => `## ${file.path}\n${file.content}`)].join("\n\n");
  },
};

function isSoul(path: string): boolean {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase() === "soul.md";
}
