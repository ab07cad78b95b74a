import { call, waitFor } from "./client.ts";
import { session } from "./session-lab.ts";

/** A line as the API shows it. */
export interface AuditRow {
  id: string;
  sessionKey: string;
  runId: string | null;
  kind: string;
  by: string;
  subject: string;
  bytesBefore: number | null;
  bytesAfter: number | null;
  hash: string | null;
  detail: string | null;
}

/** What the audit trail says of a session, oldest first, once it says so much. */
export async function auditOf(name: string, atLeast = 1): Promise<AuditRow[]> {
  const { sessionKey } = session(name);
  const read = async () => {
    const { entries } = await (await call("GET", "/v1/audit?limit=200")).json<{ entries: AuditRow[] }>();
    return entries.filter((entry) => entry.sessionKey === sessionKey).reverse();
  };
  await waitFor(async () => (await read()).length >= atLeast);
  return read();
}
