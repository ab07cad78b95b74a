import type { ActivationPort } from "./activation-port.ts";
import type { QueuedCommand } from "./command.ts";

const USAGE = "/activation [mention | always | default]";

/** `/activation`: whether the agent listens in a group to all that is said, or only where it is addressed. */
export const activation: QueuedCommand = {
  kind: "queued",
  name: "activation",
  summary: "Show or set when I listen in a group",
  usage: USAGE,
  async run(args, { activation: group }) {
    if (group === undefined) return "This is no group: I always listen here.";
    const word = args.toLowerCase();
    if (word === "mention" || word === "always") await group.save(word);
    else if (word === "default") await group.save(undefined);
    else if (word !== "") return `Use \`${USAGE}\`.`;
    return show(group);
  },
};

async function show(group: ActivationPort): Promise<string> {
  const mode = (await group.find()) ?? group.configured;
  return mode === "always" ? "I listen to everything that is said here." : "I listen here when I am addressed.";
}
