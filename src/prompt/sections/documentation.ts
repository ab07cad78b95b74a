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
    const readable = location !== undefined && hasTool(input, "read") ? `${location} (with \`read\`)` : undefined;
    const web = readable !== undefined && url !== undefined ? `on the web: ${url}` : url;
    const places = [readable, web].filter((place) => place !== undefined);
    if (places.length === 0) return undefined;
    return lines(
      "## Documentation",
      `Docs: ${places.join("; ")}`,
      sourceUrl && `Source: ${sourceUrl}`,
      communityUrl && `Community: ${communityUrl}`,
      skillsUrl && `Find skills: ${skillsUrl}`,
      `- About ${input.productName}'s behaviour, commands, configuration or architecture: docs first.${sourceUrl ? " Read the source where the docs are incomplete or out of date." : ""}`,
      hasTool(input, "session_status") &&
        "- To diagnose something, run `session_status` yourself; ask the user only for what you cannot reach.",
      hasTool(input, "gateway") &&
        "- About a configuration field: `gateway` with `config.schema.lookup` first for its exact meaning and limits, the configuration pages of the docs for the wider picture.",
    );
  },
};
