import type { Moderation } from "./clawhub-schema.ts";

/** Why a skill is not taken from a registry. */
export interface Objection {
  /** For programs. */
  reason: "malicious" | "suspicious" | "pending_scan" | "withdrawn" | "not_scanned";
  /** What the registry says about it. */
  says: string;
  hint: string;
}

const LOOK_YOURSELF = "If you trust it all the same: download it, look through it, and upload the archive.";
const MALICIOUS: Objection = {
  reason: "malicious",
  says: "has it blocked as malicious",
  hint: "Do not use it.",
};
const SUSPICIOUS: Objection = { reason: "suspicious", says: "marks it as suspicious", hint: LOOK_YOURSELF };
const PENDING: Objection = {
  reason: "pending_scan",
  says: "is still looking through it",
  hint: "Try again in some minutes.",
};
const WITHDRAWN: Objection = {
  reason: "withdrawn",
  says: "has taken it out of sight",
  hint: "Look for another skill.",
};
const NOT_SCANNED: Objection = {
  reason: "not_scanned",
  says: "could not look through it to the end",
  hint: LOOK_YOURSELF,
};

/** What its moderators and their scans say of a skill. Of several objections the worst counts. */
export function moderationObjection(moderation: Moderation | null | undefined): Objection | undefined {
  if (!moderation) return undefined;
  const { verdict } = moderation;
  if (moderation.isMalwareBlocked || verdict === "malicious") return MALICIOUS;
  if (moderation.isRemoved || moderation.isHiddenByMod) return WITHDRAWN;
  if (moderation.isSuspicious || verdict === "suspicious") return SUSPICIOUS;
  return moderation.isPendingScan ? PENDING : undefined;
}

/** What the scan of one version says. A registry that scans nothing says nothing, which is no objection. */
export function scanObjection(status: string | undefined): Objection | undefined {
  if (status === undefined || status === "clean") return undefined;
  if (status === "malicious") return MALICIOUS;
  if (status === "suspicious" || status === "review") return SUSPICIOUS;
  return status === "pending" ? PENDING : NOT_SCANNED;
}

/** What a status says with which the registry keeps a skill to itself. */
export function statusObjection(status: number): Objection | undefined {
  if (status === 403) return { ...WITHDRAWN, says: "has blocked it" };
  if (status === 410) return WITHDRAWN;
  return status === 423 ? PENDING : undefined;
}
