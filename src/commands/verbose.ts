import { choiceCommand } from "./choice.ts";

/** `/verbose`: whether tool calls are told as they happen. */
export const verbose = choiceCommand({
  key: "verbose",
  name: "verbose",
  summary: "Show or set whether I tell you of the tools that I use",
  label: "Tool calls in words",
  values: ["off", "on", "full"],
});
