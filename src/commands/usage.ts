import { MAX_COUNTED } from "../session-store/totals.ts";
import { totalText } from "../turn/output/amount-text.ts";
import { choiceCommand } from "./choice.ts";
import type { ImmediateCommand } from "./command.ts";

const footer = choiceCommand({
  key: "usage",
  name: "usage",
  summary: "Show what this session has used, or set what replies say of it",
  label: "Replies tell their usage",
  values: ["off", "tokens", "full"],
});

/** `/usage [off | tokens | full | default]`: tokens and estimated cost, and whether each reply tells them. */
export const usage: ImmediateCommand = {
  ...footer,
  run(args, session) {
    if (args !== "") return footer.run(args, session);
    const { conversation, today, all, isWhole, byModel } = session.totals();
    const whole = isWhole ? "All of this session" : `The last ${MAX_COUNTED} runs`;
    return [
      `This conversation: ${totalText(conversation)}`,
      `Today: ${totalText(today)}`,
      `${whole}: ${totalText(all)}`,
      ...byModel.map(({ model, total }) => `- \`${model}\`: ${totalText(total)}`),
      footer.run("", session),
    ].join("\n");
  },
};
