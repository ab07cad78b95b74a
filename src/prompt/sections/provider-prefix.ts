import type { StableInput } from "../input.ts";
import type { Section } from "../section.ts";

/** What the model's provider wants said first. */
export const providerPrefix: Section<StableInput> = {
  name: "provider-prefix",
  modes: ["full", "minimal"],
  render: (input) => input.provider.stablePrefix,
};
