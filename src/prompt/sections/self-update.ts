import { hasTool, type StableInput } from "../input.ts";
import type { Section } from "../section.ts";

/** How to change the configuration safely. Needs the gateway tool. */
export const selfUpdate: Section<StableInput> = {
  name: "self-update",
  modes: ["full"],
  render: (input) => (hasTool(input, "gateway") ? `## ${input.productName} Self-Update\n${RULES}` : undefined),
};

const RULES = `- Look a setting up with \`config.schema.lookup\` before you explain or change it; one with a \`status\` does nothing yet or nothing here: say so.
- Change single settings with \`config.patch\`. Replace the whole configuration with \`config.apply\` only on the user's explicit request.
- \`restart\` and \`update.run\` also only on the user's explicit request. Here they answer with the step by which the operator redeploys: pass it on.
- Protected are exec policy (\`tools.exec.ask\`, \`tools.exec.security\`, also by their old \`tools.bash.*\` names), authentication, budgets, and all else that bounds you or says who may reach you. The tool refuses to write them; look for no way around it.`;
