import { approvePairing, listPairings, type Pairing, removePairing } from "../channels/pairing.ts";

/** Who was let in by a channel, and who asked to be. All of it may be repeated, and rejects where D1 does. */
export interface PairingPort {
  list(): Promise<Pairing[]>;
  /** Gives undefined where nobody waits with this code, nor was let in by it. */
  approve(code: string, owner: boolean): Promise<Pairing | undefined>;
  /** Gives whether there was such a person. */
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

/** Whoever was let in by a code before, so that saying so twice is answered like once. */
async function approvedWith(database: D1Database, code: string): Promise<Pairing | undefined> {
  const everybody = await listPairings(database);
  return everybody.find((pairing) => pairing.code === code.toUpperCase() && pairing.approvedAt !== null);
}
