import { log } from "../lib/log.ts";
import { sleep } from "../lib/sleep.ts";
import type { Candidate } from "../models/candidates.ts";
import { type AssistantMessage, type Message, type ModelError, NO_USAGE } from "../models/message.ts";
import type { Model } from "../models/model.ts";
import { ask } from "./ask.ts";
import {
  begin,
  choose,
  type Failed,
  type Failover,
  leave,
  type Move,
  moveAfter,
  namesAtRest,
  noModelAvailable,
} from "./failover.ts";
import type { LoopDeps } from "./loop-deps.ts";

/**
 * Gives the finished reply to a conversation, not stored yet: of `loop.model` or, with a failover, of the first of its
 * candidates that answers; a model that is none of them is asked before them. Only an attempt of which nothing was shown is followed by another, and none leaves a trace.
 * What goes wrong with a model is a reply with stop `error`; an abort ends a wait at once.
 * @throws what the budget throws, before the model is asked
 */
export async function answer(loop: LoopDeps, messages: Message[], signal: AbortSignal): Promise<AssistantMessage> {
  const { failover } = loop;
  if (failover === undefined) return ask(loop, messages, signal);
  let standing = begin(candidatesIn(loop, failover), await failover.rests(), failover.deadline);
  let choice = choose(standing, loop.now());
  let attempt = 1;
  while (choice.kind === "ask") {
    const { candidate, afterMs } = choice;
    if (afterMs > 0) await sleep(afterMs, signal);
    if (signal.aborted) return unanswered(loop, candidate.model, { stop: "aborted" });
    const begunAt = loop.now();
    const reply = await ask(await askedOf(loop, candidate.model), messages, signal);
    if (reply.stop === "aborted") return reply;
    if (reply.error === undefined) {
      failover.answered(candidate, namesAtRest(candidate, standing.rests));
      return reply;
    }
    const now = loop.now();
    const failed = { candidate, error: reply.error, attempt, said: hasSaid(reply), tookMs: now - begunAt };
    const move = moveAfter(failed, standing, { ...failover.patience, chance: failover.chance() }, now);
    tell(failed, move);
    if (move.kind === "give up") return reply;
    if (move.kind === "again") {
      choice = { kind: "ask", candidate, afterMs: move.afterMs };
      attempt++;
    } else {
      const left = leave(standing, failed, move.refusal, now);
      if (left.rested !== undefined) failover.rest(left.rested.name, left.rested.rest);
      standing = left.standing;
      choice = choose(standing, now);
      attempt = 1;
    }
  }
  return unanswered(loop, loop.model, { stop: "error", error: noModelAvailable(standing) });
}

/** The loop with another model, which is told who it is. */
async function askedOf(loop: LoopDeps, model: Model): Promise<LoopDeps> {
  if (model === loop.model) return loop;
  const system = (await loop.systemOf?.(model)) ?? loop.request.system;
  return { ...loop, model, request: { ...loop.request, system } };
}

function candidatesIn({ model }: LoopDeps, { candidates }: Failover): readonly Candidate[] {
  return candidates.some((candidate) => candidate.model === model) ? candidates : [{ model }, ...candidates];
}

function hasSaid({ parts }: AssistantMessage): boolean {
  return parts.some((part) => part.type === "tool-call" || part.text !== "");
}

function tell({ candidate, error, attempt }: Failed, move: Move): void {
  log("warn", "model.failover", {
    model: candidate.model.ref,
    profile: candidate.profile,
    kind: error.kind,
    status: error.status,
    attempt,
    move: move.kind,
    ...(move.kind === "again" && { afterMs: move.afterMs }),
    ...(move.kind === "leave" && { rests: move.refusal !== undefined }),
  });
}

type Ending = { stop: "aborted" } | { stop: "error"; error: ModelError };

function unanswered(loop: LoopDeps, { ref }: Model, ending: Ending): AssistantMessage {
  const head = { id: loop.newMessageId(), at: loop.now(), model: ref };
  return { role: "assistant", ...head, parts: [], usage: NO_USAGE, ...ending };
}
