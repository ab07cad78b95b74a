import { configuredActivation } from "../channels/access.ts";
import { type Activation, findActivation, saveActivation } from "../channels/activation.ts";
import type { Target } from "../channels/channel.ts";
import { approvePairing, listPairings, type Pairing, removePairing } from "../channels/pairing.ts";
import { noteSecurityEvent } from "../services/security-events.ts";
import type { Services } from "../services/services.ts";

/** The activation setting of the group in which a command was typed. Every call may be repeated. */
export interface ActivationPort {
  /** The configured mode. */
  readonly configured: Activation;
  /** The mode that an owner set instead, if any. */
  find(): Promise<Activation | undefined>;
  /** Undefined restores the configured mode. */
  save(mode: Activation | undefined): Promise<void>;
}

/** The port of a group; undefined for other targets. @throws IsopodError if the channel is not configured */
export function activationPort(
  target: Target | null,
  sessionKey: string,
  { services, database, now }: { services: Services; database: D1Database; now(): number },
): ActivationPort | undefined {
  if (target === null || target.kind === "direct") return undefined;
  const { channel, context } = services.channel(target.channel, target.accountId);
  const group = { id: target.conversationId, ...(target.parentId !== undefined && { parentId: target.parentId }) };
  return {
    configured: configuredActivation(channel.access(context.account), group),
    find: () => findActivation(database, sessionKey, now()),
    save: (mode) => saveActivation(database, sessionKey, mode),
  };
}

/** Approved people and pairing requests. Every call may be repeated; it rejects if D1 fails. */
export interface PairingPort {
  list(): Promise<Pairing[]>;
  /** Undefined if no request or approval has this code. */
  approve(code: string, owner: boolean): Promise<Pairing | undefined>;
  /** Whether there was such a person. */
  revoke(id: string): Promise<boolean>;
}

/** The pairings in D1. */
export function pairingPort(database: D1Database, now: () => number): PairingPort {
  const note = (subject: string, detail: string) =>
    noteSecurityEvent(database, { kind: "pairing", agentId: "", by: "chat", subject, detail }, now());
  return {
    list: () => listPairings(database),
    async approve(code, owner) {
      const approved = await approvePairing(database, code, owner, now());
      if (approved === undefined) return approvedWith(database, code);
      await note(approved.id, owner ? "approved as owner" : "approved");
      return approved;
    },
    async revoke(id) {
      const isRemoved = await removePairing(database, id);
      if (isRemoved) await note(id, "removed");
      return isRemoved;
    },
  };
}

/** The person already approved with a code, so that a repeated approval has the same answer. */
async function approvedWith(database: D1Database, code: string): Promise<Pairing | undefined> {
  const everybody = await listPairings(database);
  return everybody.find((pairing) => pairing.code === code.toUpperCase() && pairing.approvedAt !== null);
}
