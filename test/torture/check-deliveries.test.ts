import { expect, test } from "vitest";
import { deliveryBreachesIn } from "./check-deliveries.ts";
import type { Evidence, SessionEvidence } from "./evidence.ts";

const FAILED = { status: "error", error: { kind: "failed", message: "The model could not be reached." } };

/** A chat with the end of a sub-agent that failed, and a message that ended with the same error. */
function evidence(delivery: { status: string; reason?: string }): Evidence {
  const user = (runId: string, text: string) => ({ role: "user", runId, seq: 1, text });
  const session = {
    session: { key: "agent:main:main", chat: { id: "7" } },
    sent: [],
    history: [user("a", '[System] The sub-agent "one" has ended.'), user("b", "Do it")],
    runs: [
      { runId: "a", ...FAILED, deliveries: [{ deliveryId: "d1", status: "delivered" }] },
      { runId: "b", ...FAILED, deliveries: [{ deliveryId: "d2", ...delivery }] },
    ],
    lost: [FAILED.error.message],
  } as unknown as SessionEvidence;
  const said = { chat: "7", replyTo: 1, text: FAILED.error.message };
  return { kills: [], faults: { delivery: 0 }, sessions: [session], delivered: [said] } as unknown as Evidence;
}

test("a delivery that never ends is a fault also where its run ended as an announcement did", () => {
  expect(deliveryBreachesIn(evidence({ status: "sending" }))).toContainEqual(
    expect.objectContaining({ kind: "stuck", runId: "b" }),
  );
  expect(deliveryBreachesIn(evidence({ status: "failed", reason: "gone" }))).toContainEqual(
    expect.objectContaining({ kind: "failed", runId: "b" }),
  );
});
