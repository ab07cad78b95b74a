import type { Section } from "../section.ts";

/** What the model's provider wants said near the end, and may change from turn to turn. */
export const providerSuffix: Section = {
  name: "provider-suffix",
  modes: ["full", "minimal"],
  render: (input) => input.provider.dynamicSuffix,
};
