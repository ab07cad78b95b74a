import { head } from "../lib/text.ts";
import { sanitizeForPrompt } from "../security/sanitize.ts";
import type { ActivationPort } from "./channel-access-port.ts";
import type { QueuedCommand } from "./command.ts";

const MAX_NAME_CHARS = 60;
const ACTIVATION_USAGE = "/activation [mention | always | default]";

/** `/activation`: whether the agent reads every message of a group or only messages addressed to it. */
export const activation: QueuedCommand = {
  kind: "queued",
  name: "activation",
  summary: "Show or set when the agent answers in this group",
  usage: ACTIVATION_USAGE,
  async run(args, { activation: group }) {
    if (group === undefined) return "This is not a group. The agent reads every message here.";
    const word = args.toLowerCase();
    if (word === "mention" || word === "always") await group.save(word);
    else if (word === "default") await group.save(undefined);
    else if (word !== "") return `Use \`${ACTIVATION_USAGE}\`.`;
    return show(group);
  },
};

async function show(group: ActivationPort): Promise<string> {
  const mode = (await group.find()) ?? group.configured;
  return mode === "always"
    ? "Activation: always. The agent reads every message in this group."
    : "Activation: mention. The agent reads only messages that mention it or reply to it.";
}

/** `/pair [list] | approve <code> [owner] | revoke <id>`: who may write to the agent on a channel. */
export const pair: QueuedCommand = {
  kind: "queued",
  name: "pair",
  summary: "List, approve or revoke people who write on a channel",
  usage: "/pair [list | approve <code> [owner] | revoke <id>]",
  async run(args, { pairing }) {
    const [verb = "list", what, as, ...rest] = args.split(/\s+/).filter((word) => word !== "");
    const isWhole = rest.length === 0 && (as === undefined || (verb === "approve" && as === "owner"));
    if (verb === "list" && what === undefined) return list(await pairing.list());
    if (verb === "approve" && what !== undefined && isWhole) {
      const approved = await pairing.approve(what, as === "owner");
      if (approved === undefined)
        return `No request has the code \`${what}\`. A code is valid for one hour; after that, have the person write again.`;
      return `Approved${approved.owner ? " as owner" : ""}: ${personName(approved)}.`;
    }
    if (verb === "revoke" && what !== undefined && isWhole) {
      return (await pairing.revoke(what)) ? `Removed: \`${what}\`.` : `No request or approval has the id \`${what}\`.`;
    }
    return "Use `/pair list`, `/pair approve <code>`, `/pair approve <code> owner` or `/pair revoke <id>`.";
  },
};

interface Person {
  id: string;
  senderName: string | null;
  code: string;
  approvedAt: number | null;
  owner: boolean;
}

function list(people: readonly Person[]): string {
  if (people.length === 0) return "There are no pairing requests.";
  return people.map((person) => `- ${personName(person)}: ${personStatus(person)}`).join("\n");
}

function personName({ id, senderName }: Person): string {
  return senderName === null ? `\`${id}\`` : `${plainName(senderName)} (\`${id}\`)`;
}

/** A name that people give themselves, as one line without Markdown: it cannot look like a row of the list. */
function plainName(name: string): string {
  const line = sanitizeForPrompt(name).replace(/[`*_~[\]()<>|#\\]/g, " ");
  return head(line.replace(/\s+/g, " ").trim(), MAX_NAME_CHARS) || "somebody";
}

function personStatus({ approvedAt, owner, code }: Person): string {
  if (approvedAt === null) return `waiting, code \`${code}\``;
  return owner ? "approved as owner" : "approved";
}
