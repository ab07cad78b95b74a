import type { ActivationPort } from "./activation-port.ts";
import type { QueuedCommand } from "./command.ts";

const USAGE = "/activation [mention | always | default]";

/** `/activation`: whether the agent reads every message of a group or only messages addressed to it. */
export const activation: QueuedCommand = {
  kind: "queued",
  name: "activation",
  summary: "Show or set when the agent answers in this group",
  usage: USAGE,
  async run(args, { activation: group }) {
    if (group === undefined) return "This is not a group. The agent reads every message here.";
    const word = args.toLowerCase();
    if (word === "mention" || word === "always") await group.save(word);
    else if (word === "default") await group.save(undefined);
    else if (word !== "") return `Use \`${USAGE}\`.`;
    return show(group);
  },
};

async function show(group: ActivationPort): Promise<string> {
  const mode = (await group.find()) ?? group.configured;
  return mode === "always"
    ? "Activation: **always**. The agent reads every message in this group."
    : "Activation: **mention**. The agent reads only messages that mention it or reply to it.";
}
