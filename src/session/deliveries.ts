import type { Delivery, OutboundPart, ReplyToMode, Target } from "../channels/channel.ts";
import { newRunId, objectNameOf } from "../config/session-ids.ts";
import { comesWithin } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { applyMessageHooks } from "../plugins/apply-message-hooks.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { agentIn } from "../services/services.ts";
import { drainOutbox, type OutboxPart } from "../session-store/outbox.ts";
import type { RunState } from "../session-store/run.ts";
import type { Answering } from "../session-store/run-result.ts";
import { noteRequest, SESSION_CHANNEL } from "../session-store/session-channel.ts";
import type { AttachedFile } from "../session-store/stored-shapes.ts";
import type { SubagentsDeps } from "../subagents/subagents-deps.ts";
import { askElsewhere, askPerson, peopleOf } from "../turn/approval-question.ts";
import { readAttachedFile } from "../turn/output/files.ts";
import { replyTargets } from "../turn/output/reply-parts.ts";
import { runSentHooks } from "./run-hooks.ts";

/** Timeout of another session's object. */
const ANSWER_MS = 30_000;

/** Dependencies of `Deliveries`. */
export interface DeliveriesDeps
  extends Pick<SubagentsDeps, "store" | "fence" | "session" | "services" | "call" | "now"> {
  hooks: SessionHooks;
  /** Called when no delivery is due. */
  drained(): void;
}

/** Sends replies to their channels: the deliveries of a session's outbox, one part at a time. */
export class Deliveries {
  readonly #deps: DeliveriesDeps;
  #draining: Promise<void> | undefined;

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps;
  }

  /** Sends all parts that are due. Never rejects; only one such round runs at a time. */
  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  /** Sends what is due after the current commit: each part is marked as sending in a commit of its own. */
  async drainSoon(): Promise<void> {
    await Promise.resolve();
    await this.drain();
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    try {
      const { store, fence } = this.#deps;
      const write = <Result>(work: () => Result) => fence.write(work);
      await drainOutbox({
        store,
        write,
        prepareParts: (markdown, target, runId) => this.prepareParts(markdown, target, runId),
        send: ({ source, ...part }, signal) =>
          source?.kind === "file"
            ? this.#sendFile(part, source, signal)
            : this.#send({ ...part, ...(source && "buttons" in source && { buttons: source.buttons }) }, signal),
        sent: (row, delivery) => runSentHooks(row, delivery, this.#deps.hooks),
        now: Date.now,
      });
    } catch (error) {
      log("error", "outbox.failed", { error: messageOf(error) });
    }
    // Reset before the promise settles: parts enqueued in between would otherwise wait for the next round.
    this.#draining = undefined;
    this.#deps.drained();
  }

  /**
   * Formats a text as outbox parts: in the channel's markup, or as a draft if message hooks must see it first.
   * @param target its `replyToId` is the message that the run answers
   */
  format(target: Target, markdown: string, answering: Answering = { isFirst: true }): OutboxPart[] {
    const { first, rest } = replyTargets(target, this.#replyToMode(target), answering);
    if (this.#deps.hooks.has("message_sending")) return [{ target: first, text: markdown, draft: true }];
    return this.#cut(target, markdown).map((text, n) => ({ target: n === 0 ? first : rest, text }));
  }

  /**
   * Runs the message hooks over a Markdown text and formats the result as parts; a refusal if it cannot be sent.
   * @param target its `replyToId`, if any, is the message to reply to natively
   */
  async prepareParts(
    markdown: string,
    target: Target,
    runId: string,
  ): Promise<readonly OutboxPart[] | { refusal: string }> {
    const { hooks, session, services } = this.#deps;
    try {
      agentIn(services(), session().agentId);
    } catch (error) {
      return { refusal: messageOf(error) };
    }
    const seen = await applyMessageHooks(markdown, target, runId, hooks);
    if ("cancelledBy" in seen) return { refusal: `The plugin ${seen.cancelledBy} cancelled it.` };
    const rest = replyTargets(target, this.#replyToMode(target), { isFirst: false }).rest;
    return this.#cut(target, seen.markdown).map((text, n) => ({ target: n === 0 ? target : rest, text }));
  }

  /**
   * Formats the approval question of a paused run as outbox parts. A sub-agent's question goes to the conversation that
   * waits for the sub-agent.
   */
  formatApprovalQuestion({ target }: { target: Target | null }, state: RunState): OutboxPart[] {
    const way = target ?? peopleOf(state);
    if (way === undefined) return [];
    const { text, buttons } = target === null ? askElsewhere(state) : askPerson(state, this.#can(target, "approvals"));
    const parts = this.format(way, text);
    const last = parts.length - 1;
    return parts.map((part, n) => (n === last && buttons ? { ...part, source: { kind: "question", buttons } } : part));
  }

  #can({ channel: channelId, accountId }: Target, capability: string): boolean {
    try {
      return this.#deps.services().channel(channelId, accountId).channel.capabilities.includes(capability);
    } catch (error) {
      log("debug", "channel.unknown", { channel: channelId, error: messageOf(error) });
      return false;
    }
  }

  #replyToMode({ channel: channelId, accountId }: Target): ReplyToMode {
    try {
      const { channel, context } = this.#deps.services().channel(channelId, accountId);
      return channel.replyToMode?.(context.account) ?? "off";
    } catch (error) {
      log("debug", "reply.mode_unknown", { channel: channelId, error: messageOf(error) });
      return "off";
    }
  }

  /**
   * Splits a text into messages in the channel's markup; one unformatted message if the channel is not configured any
   * more.
   */
  #cut(target: Target, markdown: string): string[] {
    try {
      return this.#deps.services().channel(target.channel, target.accountId).channel.format(markdown);
    } catch (error) {
      log("error", "reply.unformatted", { channel: target.channel, error: messageOf(error) });
      return [markdown];
    }
  }

  /** Shows a typing indicator. Never rejects. */
  async showTyping(target: Target): Promise<void> {
    try {
      const { channel, context } = this.#deps.services().channel(target.channel, target.accountId);
      await channel.typing?.(target, context);
    } catch (error) {
      log("debug", "typing.failed", { channel: target.channel, error: messageOf(error) });
    }
  }

  /** Sends a text to its channel, or to another session. */
  async #send(part: OutboundPart, signal: AbortSignal): Promise<Delivery> {
    if (part.target.channel === SESSION_CHANNEL) return this.#sendToSession(part);
    try {
      const { channel, context } = this.#deps.services().channel(part.target.channel, part.target.accountId);
      return await channel.send(part, context, signal);
    } catch (error) {
      return { outcome: "failed", reason: messageOf(error) };
    }
  }

  /** Sends a file, or its text line if the channel takes no files. */
  async #sendFile(part: OutboundPart, said: AttachedFile, signal: AbortSignal): Promise<Delivery> {
    const { session, services } = this.#deps;
    try {
      const { channel, context } = services().channel(part.target.channel, part.target.accountId);
      if (channel.sendFile === undefined) return await channel.send(part, context, signal);
      const file = await readAttachedFile(said, services().workspaceOf(agentIn(services(), session().agentId)));
      if ("outcome" in file) return file;
      const { target, deliveryId } = part;
      return await channel.sendFile({ target, deliveryId, ...file }, context, signal);
    } catch (error) {
      return { outcome: "failed", reason: messageOf(error) };
    }
  }

  /** Records in another session what was sent to its conversation. */
  async #sendToSession({ target: to, text, deliveryId }: OutboundPart): Promise<Delivery> {
    const { session, call, now } = this.#deps;
    try {
      const request = noteRequest({ to, text, deliveryId, fromKey: session().key });
      const runId = newRunId(await objectNameOf(request.sessionKey), now());
      const told = call(request.sessionKey, (session) => session.accept({ ...request, runId }));
      if (await comesWithin(ANSWER_MS, told)) return { outcome: "delivered" };
      return { outcome: "retry", afterMs: 0, reason: "The session did not answer in time." };
    } catch (error) {
      return { outcome: "retry", afterMs: 0, reason: messageOf(error) };
    }
  }
}
