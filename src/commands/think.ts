import { choiceCommand } from "./choice.ts";

/** `/think`: how much the model thinks before it answers. */
export const think = choiceCommand({
  key: "thinking",
  name: "think",
  summary: "Show or set how much I think before I answer",
  label: "Thinking",
  values: ["off", "minimal", "low", "medium", "high"],
});
