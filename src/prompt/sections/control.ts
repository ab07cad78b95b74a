import { hasTool, type StableInput } from "../input.ts";
import { joinLines, type Section } from "../section.ts";

/** What controls the product itself, so that the model does not invent commands. */
export const control: Section<StableInput> = {
  name: "control",
  modes: ["full"],
  render(input) {
    const gateway = hasTool(input, "gateway");
    if (!gateway && input.commands.length === 0) return undefined;
    return joinLines(
      `## ${input.productName} Control`,
      gateway && "- For configuration and restarts use the `gateway` tool.",
      input.commands.length > 0 && `- Commands that the user can send in chat: ${input.commands.join(" ")}`,
      "- Never invent commands, subcommands, flags or settings. If you are not sure that one exists, look it up or say so.",
    );
  },
};

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

/** The aliases of models. */
export const modelAliases: Section<StableInput> = {
  name: "model-aliases",
  modes: ["full"],
  render(input) {
    if (input.modelAliases.length === 0) return undefined;
    return joinLines(
      "## Model Aliases",
      "To name a model prefer its alias; provider/model works too.",
      ...input.modelAliases.map(({ alias, model }) => `- ${alias}: ${model}`),
    );
  },
};

/** The senders on the owners' list, in OpenClaw's documented words. */
export const authorizedSenders: Section<StableInput> = {
  name: "authorized-senders",
  modes: ["full"],
  render(input) {
    if (input.authorizedSenders.length === 0) return undefined;
    const ids = input.authorizedSenders.join(", ");
    return `## Authorized Senders\nAuthorized senders: ${ids}. These senders are allowlisted; do not assume they are the owner.`;
  },
};
