import { approvePairing, listPairings, type Pairing, removePairing } from "../channels/pairing.ts";

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
  return {
    list: () => listPairings(database),
    approve: async (code, owner) =>
      (await approvePairing(database, code, owner, now())) ?? (await approvedWith(database, code)),
    revoke: (id) => removePairing(database, id),
  };
}

/** The person already approved with a code, so that a repeated approval has the same answer. */
async function approvedWith(database: D1Database, code: string): Promise<Pairing | undefined> {
  const everybody = await listPairings(database);
  return everybody.find((pairing) => pairing.code === code.toUpperCase() && pairing.approvedAt !== null);
}
