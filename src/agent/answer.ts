import { log } from "../lib/log.ts";
import { sleep } from "../lib/sleep.ts";
import type { Candidate } from "../models/candidates.ts";
import { explained } from "../models/error-advice.ts";
import { type AssistantMessage, type Message, type ModelError, NO_USAGE } from "../models/message.ts";
import type { Model } from "../models/model.ts";
import { ask } from "./ask.ts";
import {
  activeCooldownNames,
  beginFailover,
  chooseCandidate,
  type FailedAttempt,
  type Failover,
  leaveCandidate,
  type Move,
  moveAfter,
  noModelAvailable,
} from "./failover.ts";
import type { AnswerDeps } from "./loop-deps.ts";

/**
 * Asks for the finished reply to a conversation and does not store it. With a failover, the first candidate that
 * answers gives it; a model that is no candidate is asked before them. Failed attempts leave nothing in the transcript;
 * where people have seen words of one, a `restart` voids them.
 * A failing model gives a reply with stop `error`; an abort ends a pause at once.
 * @param restarted is called before a reply is begun again of which people have seen a part; gives the messages then
 * @throws what the budget throws, before the model is asked
 */
export async function answer(
  loop: AnswerDeps,
  messages: Message[],
  signal: AbortSignal,
  restarted: () => Message[] = () => messages,
): Promise<AssistantMessage> {
  const { failover } = loop;
  if (failover === undefined) return withAdvice(await ask(loop, messages, signal), loop.model);
  let state = beginFailover(withLoopModel(loop, failover), await failover.cooldowns(), failover.deadline);
  let choice = chooseCandidate(state, loop.now());
  let attempt = 1;
  let restarts = 0;
  /** The last reply that broke off, and the messages that the next attempt is asked with. */
  let broken: AssistantMessage | undefined;
  let asked = messages;
  while (choice.kind === "ask") {
    const { candidate, afterMs } = choice;
    if (afterMs > 0) await sleep(afterMs, signal);
    if (signal.aborted) return emptyReply(loop, candidate.model, { stop: "aborted" });
    const begunAt = loop.now();
    if (broken !== undefined) {
      broken = undefined;
      restarts++;
      asked = restarted();
      loop.emit({ type: "assistant", phase: "restart", attempt: restarts + 1 });
    }
    const reply = await ask(await withModel(loop, candidate.model), asked, signal);
    if (reply.stop === "aborted") return reply;
    if (reply.error === undefined) {
      failover.answered(candidate, activeCooldownNames(candidate, state.cooldowns));
      return reply;
    }
    const now = loop.now();
    if (hasOutput(reply)) broken = reply;
    const failed = {
      ...{ candidate, error: reply.error, attempt, hasOutput: broken !== undefined, restarts },
      tookMs: now - begunAt,
    };
    const move = moveAfter(failed, state, { ...failover.retry, chance: failover.chance() }, now);
    logFailover(failed, move);
    if (move.kind === "give up") return withAdvice(reply, candidate.model);
    if (move.kind === "again") {
      choice = { kind: "ask", candidate, afterMs: move.afterMs };
      attempt++;
    } else {
      const left = leaveCandidate(state, failed, move.refusal, now);
      if (left.cooled !== undefined) failover.coolDown(left.cooled.name, left.cooled.cooldown);
      state = left.state;
      choice = chooseCandidate(state, now);
      attempt = 1;
    }
  }
  const error = noModelAvailable(state, loop.now());
  return broken === undefined ? emptyReply(loop, loop.model, { stop: "error", error }) : { ...broken, error };
}

function withAdvice(reply: AssistantMessage, model: Model): AssistantMessage {
  return reply.error === undefined ? reply : { ...reply, error: explained(reply.error, model) };
}

/** The loop with another model and the system prompt made for it. */
async function withModel(loop: AnswerDeps, model: Model): Promise<AnswerDeps> {
  if (model === loop.model) return loop;
  const system = (await loop.systemFor?.(model)) ?? loop.request.system;
  return { ...loop, model, request: { ...loop.request, system } };
}

function withLoopModel({ model }: AnswerDeps, { candidates }: Failover): readonly Candidate[] {
  return candidates.some((candidate) => candidate.model === model) ? candidates : [{ model }, ...candidates];
}

function hasOutput({ parts }: AssistantMessage): boolean {
  return parts.some((part) => part.type === "tool-call" || part.text !== "");
}

function logFailover({ candidate, error, attempt }: FailedAttempt, move: Move): void {
  log("warn", "model.failover", {
    model: candidate.model.ref,
    profile: candidate.profile,
    kind: error.kind,
    status: error.status,
    attempt,
    move: move.kind,
    ...(move.kind === "again" && { afterMs: move.afterMs }),
    ...(move.kind === "leave" && { cooldown: move.refusal !== undefined }),
  });
}

type AnswerFailure = { stop: "aborted" } | { stop: "error"; error: ModelError };

function emptyReply(loop: AnswerDeps, { ref }: Model, ending: AnswerFailure): AssistantMessage {
  const head = { id: loop.newMessageId(), at: loop.now(), model: ref };
  return { role: "assistant", ...head, parts: [], usage: NO_USAGE, ...ending };
}
