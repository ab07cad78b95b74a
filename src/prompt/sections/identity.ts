import type { StableInput } from "../input.ts";
import type { Section } from "../section.ts";

/** Who the agent is: the one line that every mode has. */
export const identity: Section<StableInput> = {
  name: "identity",
  modes: ["full", "minimal", "none"],
  render: (input) => `You are a personal assistant running inside ${input.productName}.`,
};
