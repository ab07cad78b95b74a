import { log } from "../lib/log.ts";
import type { Candidate } from "../models/candidates.ts";
import type { AssistantMessage, Message, ModelError } from "../models/message.ts";
import { NO_USAGE } from "../models/message.ts";
import type { Model } from "../models/model.ts";
import { ask } from "./ask.ts";
import {
  begin,
  type Cooldowns,
  choose,
  type Failed,
  leave,
  type Move,
  moveAfter,
  namesAtRest,
  type Patience,
  type Rest,
} from "./failover.ts";
import type { Loop } from "./journal.ts";
import { noModelAvailable } from "./why-nobody.ts";

/** Who may answer in place of a loop's model, and what is known of them. */
export interface Failover {
  /** The preferred one first; at least one. */
  readonly candidates: readonly Candidate[];
  readonly patience: Omit<Patience, "chance">;
  /** When the run has to be done; undefined where it has all the time. */
  readonly deadline: number | undefined;
  /** Who rests, as far as it is known. Never rejects. */
  rests(): Promise<Cooldowns>;
  /** Lets one rest, for everybody. Never throws. */
  rest(name: string, rest: Rest): void;
  /** One has answered: it is the preferred one from now on, and its refusals are forgotten, by these names. Never throws. */
  answered(candidate: Candidate, forgiven: readonly string[]): void;
  /** From 0 to 1. */
  chance(): number;
}

/**
 * Gives the finished reply to a conversation, not stored yet: of `loop.model` or, with a failover, of the first of its
 * candidates that answers; a model that is none of them is asked before them. Only an attempt of which nothing was shown is followed by another, and none leaves a trace.
 * What goes wrong with a model is a reply with stop `error`; an abort ends a wait at once.
 * @throws what the budget throws, before the model is asked
 */
export async function answer(loop: Loop, messages: Message[], signal: AbortSignal): Promise<AssistantMessage> {
  const { failover } = loop;
  if (failover === undefined) return ask(loop, messages, signal);
  let standing = begin(candidatesIn(loop, failover), await failover.rests(), failover.deadline);
  let choice = choose(standing, loop.now());
  let attempt = 1;
  while (choice.kind === "ask") {
    const { candidate, afterMs } = choice;
    if (!(await hasPassed(afterMs, signal))) return unanswered(loop, candidate.model, { stop: "aborted" });
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
async function askedOf(loop: Loop, model: Model): Promise<Loop> {
  if (model === loop.model) return loop;
  const system = (await loop.systemOf?.(model)) ?? loop.request.system;
  return { ...loop, model, request: { ...loop.request, system } };
}

function candidatesIn({ model }: Loop, { candidates }: Failover): readonly Candidate[] {
  return candidates.some((candidate) => candidate.model === model) ? candidates : [{ model }, ...candidates];
}

function hasSaid({ parts }: AssistantMessage): boolean {
  return parts.some((part) => part.type === "tool-call" || part.text !== "");
}

/** Lets time pass; false where the signal aborted first. */
function hasPassed(ms: number, signal: AbortSignal): Promise<boolean> {
  if (ms === 0 || signal.aborted) return Promise.resolve(!signal.aborted);
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve(!signal.aborted);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      end();
    }, ms);
    signal.addEventListener("abort", end, { once: true });
  });
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

function unanswered(loop: Loop, { ref }: Model, ending: Ending): AssistantMessage {
  const head = { id: loop.newMessageId(), at: loop.now(), model: ref };
  return { role: "assistant", ...head, parts: [], usage: NO_USAGE, ...ending };
}
