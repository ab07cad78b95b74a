import { hasTool, type StableInput } from "../input.ts";
import { lines } from "../lines.ts";
import type { Section } from "../section.ts";

/** What controls the product itself, so that the model invents no commands. */
export const control: Section<StableInput> = {
  name: "control",
  modes: ["full"],
  render(input) {
    const gateway = hasTool(input, "gateway");
    if (!gateway && input.commands.length === 0) return undefined;
    return lines(
      `## ${input.productName} Control`,
      gateway && "- For configuration and restarts use the `gateway` tool.",
      input.commands.length > 0 && `- Commands that the user can send in chat: ${input.commands.join(" ")}`,
      "- Never invent commands, subcommands, flags or settings. If you are not sure that one exists, look it up or say so.",
    );
  },
};
