import { choiceCommand } from "./choice.ts";

/** `/think`: the thinking level of the model. */
export const think = choiceCommand({
  key: "thinking",
  name: "think",
  summary: "Show or set the thinking level",
  label: "Thinking",
  values: ["off", "minimal", "low", "medium", "high"],
});
