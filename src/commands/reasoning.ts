import { choiceCommand } from "./choice.ts";

/** `/reasoning`: whether people see the model's reasoning. */
export const reasoning = choiceCommand({
  key: "reasoning",
  name: "reasoning",
  summary: "Show or hide the model's reasoning",
  label: "Visible reasoning",
  values: ["off", "on", "stream"],
});
