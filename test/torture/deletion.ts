import type { Breach } from "./check.ts";
import { attempt, type Client } from "./client.ts";
import type { SessionEvidence } from "./evidence.ts";
import { startedIn } from "./family.ts";

/** Deletes a session under a kill, and checks that nothing of it is left and that what it had taken up stays taken up. */
export async function deleteSession(
  client: Client,
  { session, history, sent }: SessionEvidence,
  kill: () => Promise<void>,
): Promise<Breach[]> {
  const path = `/v1/sessions/${encodeURIComponent(session.key)}`;
  const breach = (kind: Breach["kind"], what: string): Breach => ({ kind, session: session.key, what });
  const first = attempt(client, path, { method: "DELETE" });
  await kill();
  await first;
  if (!(await comesTrue(async () => (await attempt(client, path, { method: "DELETE" }))?.status === 404))) {
    return [breach("stuck", "it is not deleted")];
  }
  const breaches: Breach[] = [];
  for (const { key } of [{ key: session.key }, ...startedIn(history)]) {
    const gone = async () => {
      const answer = await attempt(client, `/v1/sessions/${encodeURIComponent(key)}/history`, {});
      return answer?.status === 404;
    };
    if (!(await comesTrue(gone)))
      breaches.push(breach("failed", `the transcript of ${key} can be read after its deletion`));
  }
  const known = sent.find(({ runIds, message }) => runIds.length > 0 && message.door === "api")?.message;
  if (known !== undefined) {
    const body = { sessionKey: session.key, message: known.text, idempotencyKey: known.key };
    const again = await attempt(client, "/v1/agent", { method: "POST", body });
    if (again?.status !== 410) breaches.push(breach("doubled", `${known.text} is taken up again: ${again?.status}`));
  }
  return breaches;
}

const TRIES = 60;
const PAUSE_MS = 250;

async function comesTrue(isSo: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (await isSo()) return true;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return false;
}
