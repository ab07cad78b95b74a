import { choiceCommand } from "./choice.ts";

/** `/reasoning`: whether people see what the model thinks. */
export const reasoning = choiceCommand({
  key: "reasoning",
  name: "reasoning",
  summary: "Show or set whether you see what I think",
  label: "Visible reasoning",
  values: ["off", "on", "stream"],
});
