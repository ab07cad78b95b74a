import { shortDigest } from "../lib/digest.ts";
import { BASE32_ALPHABET, newId } from "../lib/ids.ts";

/** Characters of a run id that say which object it is in. */
const TAG_CHARS = 26;
const RUN_ID = /^run_[0-9a-z]{52}$/;
const APPROVAL_ID = /^apr_[0-9a-z]{52}$/;

/**
 * The name of the object in which a session begins, and which knows where it moved to: 128 bits of the key's SHA-256. A
 * run's id ends with its object's name, so that a run is found without asking any index.
 */
export function objectNameOf(sessionKey: string): Promise<string> {
  return shortDigest(sessionKey);
}

/**
 * The bits that the last character of a name has to spare: 26 characters hold 130 bits, and a digest has 128. They say
 * the jurisdiction of the object, so that a run's id leads to it without asking any index.
 */
const EU_BITS = 1;

/** The object that a session moves to: its name is made of the key and a new generation. */
export async function newObjectName(sessionKey: string, isInEu: boolean, now: number): Promise<string> {
  const name = await shortDigest(`${sessionKey}\n${newId("gen", now)}`);
  return isInEu ? inEu(name) : name;
}

/** The object within the jurisdiction `eu` in which a session begins. */
export async function euObjectNameOf(sessionKey: string): Promise<string> {
  return inEu(await objectNameOf(sessionKey));
}

/** Whether an object is within the jurisdiction `eu`, from its name. */
export function isInEu(objectName: string): boolean {
  return (BASE32_ALPHABET.indexOf(objectName.at(-1) ?? "") & 3) === EU_BITS;
}

function inEu(name: string): string {
  const last = BASE32_ALPHABET.indexOf(name.at(-1) ?? "") | EU_BITS;
  return `${name.slice(0, -1)}${BASE32_ALPHABET[last]}`;
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
