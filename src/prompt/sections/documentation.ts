import { hasTool, type StableInput } from "../input.ts";
import { lines } from "../lines.ts";
import type { Section } from "../section.ts";

/** Where the product is explained, and in which order to look. */
export const documentation: Section<StableInput> = {
  name: "documentation",
  modes: ["full"],
  render(input) {
    if (input.docs === undefined) return undefined;
    const { location, url, sourceUrl, communityUrl, skillsUrl } = input.docs;
    const readable = location !== undefined && hasTool(input, "read");
    return lines(
      "## Documentation",
      readable ? `Docs: ${location} (with \`read\`); on the web: ${url}` : `Docs: ${url}`,
      `Source: ${sourceUrl}`,
      `Community: ${communityUrl}`,
      `Find skills: ${skillsUrl}`,
      `- About ${input.productName}'s behaviour, commands, configuration or architecture: docs first. Read the source where the docs are incomplete or out of date.`,
      hasTool(input, "session_status") &&
        "- To diagnose something, run `session_status` yourself; ask the user only for what you cannot reach.",
      hasTool(input, "gateway") &&
        "- About a configuration field: `gateway` with `config.schema.lookup` first for its exact meaning and limits, the configuration pages of the docs for the wider picture.",
    );
  },
};
