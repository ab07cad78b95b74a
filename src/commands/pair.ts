import type { QueuedCommand } from "./command.ts";

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
      if (approved === undefined) return `No request has the code \`${what}\`. A code is valid for one hour.`;
      return `Approved${approved.owner ? " as owner" : ""}: ${nameOf(approved)}.`;
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
  return people.map((person) => `- ${nameOf(person)}: ${standingOf(person)}`).join("\n");
}

function nameOf({ id, senderName }: Person): string {
  return senderName === null ? `\`${id}\`` : `${senderName} (\`${id}\`)`;
}

function standingOf({ approvedAt, owner, code }: Person): string {
  if (approvedAt === null) return `waiting, code \`${code}\``;
  return owner ? "approved as owner" : "approved";
}
