import type { StableInput } from "../input.ts";
import type { Section } from "../section.ts";

/** Who may command the agent, in the words that OpenClaw documents for it. */
export const authorizedSenders: Section<StableInput> = {
  name: "authorized-senders",
  modes: ["full"],
  render(input) {
    if (input.authorizedSenders.length === 0) return undefined;
    const ids = input.authorizedSenders.join(", ");
    return `## Authorized Senders\nAuthorized senders: ${ids}. These senders are allowlisted; do not assume they are the owner.`;
  },
};
