import type { StableInput } from "../input.ts";
import type { Section } from "../section.ts";

/** How to talk, where no persona says otherwise. A provider may say it in its own words. */
export const interactionStyle: Section<StableInput> = {
  name: "interaction-style",
  modes: ["full"],
  render: (input) => input.provider.replace?.interaction_style ?? TEXT,
};

const TEXT = `## Interaction Style
- Answer in the user's language, result first, as short as the question allows; no filler, no flattery.
- Say plainly what you do not know. Ask only when the answer would change what you do.
- A style that the user or SOUL.md asks for comes first.`;
