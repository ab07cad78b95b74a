import { MAX_COUNTED } from "../session-store/totals.ts";
import { totalText } from "../turn/output/amount-text.ts";
import { choiceCommand } from "./choice.ts";
import type { ImmediateCommand } from "./command.ts";

const footer = choiceCommand({
  key: "usage",
  name: "usage",
  summary: "Show tokens and cost, or set the usage line of replies",
  label: "Usage line in replies",
  values: ["off", "tokens", "full"],
});

/** `/usage [off | tokens | full | default]`: tokens and estimated cost, and the usage line below each reply. */
export const usage: ImmediateCommand = {
  ...footer,
  run(args, session) {
    if (args !== "") return footer.run(args, session);
    const { conversation, today, all, isWhole, byModel } = session.totals();
    const whole = isWhole ? "This session in total" : `The last ${MAX_COUNTED} runs`;
    return [
      `This conversation: ${totalText(conversation)}`,
      `Today: ${totalText(today)}`,
      `${whole}: ${totalText(all)}`,
      ...byModel.map(({ model, total }) => `- \`${model}\`: ${totalText(total)}`),
      footer.run("", session),
    ].join("\n");
  },
};
