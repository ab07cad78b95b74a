import { shortDigest } from "../lib/digest.ts";
import { newId } from "../lib/ids.ts";

/** Characters of a run id that say which object it is in. */
const TAG_CHARS = 26;
const RUN_ID = /^run_[0-9a-z]{52}$/;
const APPROVAL_ID = /^apr_[0-9a-z]{52}$/;

/**
 * The name of the object that holds a session: 128 bits of the key's SHA-256. A run's id ends with it, so that a run
 * is found without asking any index.
 */
export function objectNameOf(sessionKey: string): Promise<string> {
  return shortDigest(sessionKey);
}

/** A new run's id within an object. */
export function newRunId(objectName: string, now: number): string {
  return `${newId("run", now)}${objectName}`;
}

/** The object that holds a run; undefined where the text is no run's id. */
export function objectNameOfRun(runId: string): string | undefined {
  return RUN_ID.test(runId) ? runId.slice(-TAG_CHARS) : undefined;
}

/** A new approval's id within an object. */
export function newApprovalId(objectName: string, now: number): string {
  return `${newId("apr", now)}${objectName}`;
}

/** The object that an approval is in; undefined where the text is no approval's id. */
export function objectNameOfApproval(approvalId: string): string | undefined {
  return APPROVAL_ID.test(approvalId) ? approvalId.slice(-TAG_CHARS) : undefined;
}

/** A prefix of an approval's id that is unique within its session, for places with little room. */
export function shortApprovalId(id: string): string {
  return id.slice(0, "apr_".length + 26);
}
