import { isSettled } from "./run.ts";
import type { AcceptRequest } from "./run-request.ts";
import { answeringRun } from "./runs.ts";
import type { Store } from "./store.ts";

/** Most changes of earlier messages that models are shown with the next one. */
const MAX_REVISIONS = 20;

/**
 * The request of a message that revises an earlier one: a note, which no model answers, where the earlier one was
 * answered or this one takes it back. Any other request as it is.
 * @returns also the run to stop: one whose message was taken back before its turn
 */
export function revisedRequest(request: AcceptRequest, store: Store): { request: AcceptRequest; stop?: string } {
  const { revises, target, input } = request;
  if (revises === undefined || target === undefined) return { request };
  const isDeletion = input.said?.change === "deleted";
  const earlier = answeringRun(store, target, revises);
  if (!isDeletion && (earlier === undefined || !isSettled(earlier.state))) return { request };
  const { files: _, holdMs: __, ...said } = input;
  const note = { ...said, timeoutSeconds: 0, origin: { kind: "overheard" as const, limit: MAX_REVISIONS } };
  const stops = isDeletion && earlier?.state.status === "queued";
  return { request: { ...request, input: note }, ...(stops && { stop: earlier.id }) };
}
