import type { StableInput } from "../input.ts";
import { lines } from "../lines.ts";
import type { Section } from "../section.ts";

/** The short names of models. */
export const modelAliases: Section<StableInput> = {
  name: "model-aliases",
  modes: ["full"],
  render(input) {
    if (input.modelAliases.length === 0) return undefined;
    return lines(
      "## Model Aliases",
      "To name a model prefer its alias; provider/model works too.",
      ...input.modelAliases.map(({ alias, model }) => `- ${alias}: ${model}`),
    );
  },
};
