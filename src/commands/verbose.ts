import { choiceCommand } from "./choice.ts";

/** `/verbose`: whether people see tool calls as they happen. */
export const verbose = choiceCommand({
  key: "verbose",
  name: "verbose",
  summary: "Show or hide tool calls",
  label: "Visible tool calls",
  values: ["off", "on", "full"],
});
