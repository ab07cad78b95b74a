import { and, eq, isNotNull } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { listChannels } from "../channels/index.ts";
import { pairings } from "../db/schema.ts";
import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** Whether anybody who writes on a channel is an owner, and whether the names of owners can be anybody's. */
export async function examineOwners({ services, env }: DiagnosticsContext): Promise<Check[]> {
  if (services === undefined) return [];
  const { ownerAllowFrom } = services.config.commands;
  const paired = await drizzle(env.DB).$count(pairings, and(isNotNull(pairings.approvedAt), eq(pairings.owner, true)));
  const head = { id: "owners.known", area: "owners", path: "commands.ownerAllowFrom" } as const;
  const someone: Check =
    ownerAllowFrom.length + paired > 0
      ? { ...head, status: "ok", message: `Owners: ${ownerAllowFrom.length} configured, ${paired} paired.` }
      : {
          ...head,
          status: "warn",
          message: "Nobody on a channel is an owner; only who has the token may give commands and answer approvals.",
          fix: 'Add yourself to commands.ownerAllowFrom, such as "telegram:123456789", or approve your pairing as an owner.',
        };
  const channels = listChannels(services.plugins.channels).map(({ id }) => id);
  const strange = ownerAllowFrom.filter(
    (owner) => owner.includes(":") && !channels.includes(owner.split(":")[0] ?? ""),
  );
  return [
    someone,
    ...strange.map(
      (owner): Check => ({
        id: `owners.${owner}`,
        area: "owners",
        status: "warn",
        message: `The owner '${owner}' is of a channel that is not there.`,
        fix: `Write it as channel:id; the channels are: ${channels.join(", ")}.`,
        path: "commands.ownerAllowFrom",
      }),
    ),
  ];
}
