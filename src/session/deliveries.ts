import type { Addressed, Delivery, OutboundPart, ReplyToMode, Target } from "../channels/channel.ts";
import { newRunId, objectNameOf } from "../config/session-ids.ts";
import { comesWithin } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { head } from "../lib/text.ts";
import { applyMessageHooks } from "../plugins/apply-message-hooks.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { visitorSession } from "../services/conversation-place.ts";
import { fileLink, type LinkedFile } from "../services/file-links.ts";
import { agentIn, tokenPurpose } from "../services/services.ts";
import type { AuditTrail } from "../session-store/audit-trail.ts";
import { isJobWebhook } from "../session-store/job-webhook.ts";
import { lostDeliveries, takeUntold } from "../session-store/lost-deliveries.ts";
import {
  drainOutbox,
  isInterrupted,
  isSameConversation,
  type OutboxPart,
  type OutboxRow,
  runDeliveries,
  sendAgain,
} from "../session-store/outbox.ts";
import type { RunState } from "../session-store/run.ts";
import type { Answering } from "../session-store/run-result.ts";
import { noteRequest, SESSION_CHANNEL } from "../session-store/session-channel.ts";
import type { AttachedFile } from "../session-store/stored-shapes.ts";
import type { SubagentsDeps } from "../subagents/subagents-deps.ts";
import { askElsewhere, askPerson, peopleOf } from "../turn/approval-question.ts";
import { boundedParts, MAX_PARTS } from "../turn/output/bounded-parts.ts";
import { fileLine, readAttachedFile } from "../turn/output/files.ts";
import { lostNotice } from "../turn/output/lost-notice.ts";
import { replyTargets } from "../turn/output/reply-parts.ts";
import { postWebhook } from "./post-webhook.ts";
import { runSentHooks } from "./run-hooks.ts";

/** Timeout of another session's object. */
const ANSWER_MS = 30_000;

/** Most characters of a long reply that a channel without files gets in its last message. */
const MAX_BEGINNING_CHARS = 500;
const ELSEWHERE = "A visitor of a page reads the answers of the visitor's own session alone.";
const TOO_LONG = "The reply is too long for this chat: its rest is";

/** A part whose words are wanted. */
type PlainPart = Pick<OutboxRow, "text"> & Partial<Pick<OutboxRow, "target" | "draft" | "source">>;

/** Dependencies of `Deliveries`. */
export interface DeliveriesDeps
  extends Pick<SubagentsDeps, "store" | "fence" | "session" | "services" | "call" | "now"> {
  hooks: SessionHooks;
  audit: Pick<AuditTrail, "write">;
  /** Keeps the whole text of a reply in R2. Gives its key; may be repeated. */
  keepReply(deliveryId: string, text: string): Promise<string>;
  /** Called when no delivery is due. */
  drained(): void;
}

/** Sends replies to their channels: the deliveries of a session's outbox, one part at a time. */
export class Deliveries {
  readonly #deps: DeliveriesDeps;
  #draining: Promise<void> | undefined;
  /** Whether an earlier incarnation died while it sent something. */
  #wasInterrupted = false;

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

  /** Tells that a message which the platform had accepted did not arrive. */
  noteFailed(row: OutboxRow): void {
    if (row.detail?.outcome === "failed") this.#note(row, row.detail);
  }

  /** Tells that an earlier incarnation died while it sent something: `rows` are unsure since. */
  interrupted(rows: readonly OutboxRow[]): void {
    this.#wasInterrupted = rows.length > 0;
    for (const row of rows) if (row.detail !== null && row.detail !== undefined) this.#note(row, row.detail);
  }

  /**
   * The notice of messages to a conversation that did not arrive, or may not have, as parts of its next reply. They
   * count as told: call it within the commit that stores the reply.
   */
  lostNotice(target: Target, runId: string): OutboxPart[] {
    const notice = lostNotice(takeUntold(this.#deps.store, target, runId), (part) => this.#plain(target, part));
    return notice === undefined ? [] : this.format(target, notice, { isFirst: false });
  }

  /** The words of a stored part, without the channel's markup. */
  plainText({ target, text, draft, source }: PlainPart): string {
    return target === undefined || draft || source?.kind === "rest" ? text : this.#plain(target, text);
  }

  #plain({ channel: channelId, accountId }: Target, text: string): string {
    try {
      return this.#deps.services().channel(channelId, accountId).channel.plain?.(text) ?? text;
    } catch (error) {
      log("debug", "channel.unknown", { channel: channelId, error: messageOf(error) });
      return text;
    }
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    try {
      const { store, fence } = this.#deps;
      const write = <Result>(work: () => Result) => fence.write(work);
      if (this.#wasInterrupted) this.#repeatInterrupted();
      await drainOutbox({
        store,
        write,
        prepareParts: (markdown, target, runId) => this.prepareParts(markdown, target, runId),
        send: async ({ source, ...addressed }, signal) => {
          const part = await this.#withToken(addressed);
          if (this.#isKeptHere(part.target)) return this.#keep(part, signal);
          if (source?.kind === "file") return this.#sendFile(part, source, signal);
          if (source?.kind === "rest" || source?.kind === "whole") return this.#sendRest(part, source.name, signal);
          return this.#send({ ...part, ...(source && "buttons" in source && { buttons: source.buttons }) }, signal);
        },
        sent: (row, delivery) => {
          runSentHooks(row, delivery, this.#deps.hooks);
          this.#note(row, delivery);
        },
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
    const text = answering.beginsReply ? `${this.#prefix()}${markdown}` : markdown;
    const { first, rest } = replyTargets(target, this.#replyToMode(target), answering);
    if (this.#deps.hooks.has("message_sending")) return [{ target: first, text, draft: true }];
    const parts = this.#cut(target, text).map((part, n) => ({ target: n === 0 ? first : rest, text: part }));
    const plain = (part: string) => this.#plain(target, part);
    return boundedParts(parts, { target: rest, most: answering.most ?? MAX_PARTS, plain });
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
    const parts = this.#cut(target, seen.markdown).map((text, n) => ({ target: n === 0 ? target : rest, text }));
    const plain = (part: string) => this.#plain(target, part);
    return boundedParts(parts, { target: rest, most: MAX_PARTS, plain });
  }

  /**
   * Formats the approval question of a paused run as outbox parts. A sub-agent's question goes to the conversation that
   * waits for the sub-agent.
   */
  formatApprovalQuestion({ target }: { target: Target | null }, state: RunState): OutboxPart[] {
    const way = target ?? peopleOf(state);
    // Only an owner may answer it, on the page.
    if (way === undefined || way.isVisitor) return [];
    const { text, buttons } = target === null ? askElsewhere(state) : askPerson(state, this.#can(target, "approvals"));
    const parts = this.format(way, text);
    const last = parts.length - 1;
    return parts.map((part, n) => (n === last && buttons ? { ...part, source: { kind: "question", buttons } } : part));
  }

  /** Sends again what an earlier incarnation may have sent, where the account prefers that. */
  #repeatInterrupted(): void {
    const { store, fence, now } = this.#deps;
    this.#wasInterrupted = false;
    const again = lostDeliveries(store).filter((row) => isInterrupted(row) && row.target && this.#repeats(row.target));
    if (again.length > 0) fence.write(() => again.map((row) => sendAgain(store, row, now())));
  }

  #repeats({ channel: channelId, accountId }: Target): boolean {
    try {
      const { channel, context } = this.#deps.services().channel(channelId, accountId);
      return channel.atLeastOnce?.(context.account) ?? false;
    } catch (error) {
      log("debug", "channel.unknown", { channel: channelId, error: messageOf(error) });
      return false;
    }
  }

  /** What an outcome means to an account: one that prefers doubles sends again what may not have arrived. */
  #preferred(target: Target, delivery: Delivery): Delivery {
    if (delivery.outcome !== "unsure" || !this.#repeats(target)) return delivery;
    return { outcome: "retry", afterMs: 0, reason: delivery.reason };
  }

  /** Notes in the audit trail what did not arrive, or may not have, and what arrived after all. */
  #note({ deliveryId, runId, target, detail }: OutboxRow, delivery: Delivery): void {
    const isLost = delivery.outcome === "failed" || delivery.outcome === "unsure";
    const wasLost = detail?.outcome === "failed" || detail?.outcome === "unsure";
    if (!isLost && !(wasLost && delivery.outcome === "delivered")) return;
    const why = isLost ? `: ${delivery.reason}` : "";
    const by = target === undefined ? "unknown" : `${target.channel}:${target.conversationId}`;
    this.#deps.audit.write([{ kind: "delivery", by, subject: deliveryId, detail: `${delivery.outcome}${why}`, runId }]);
  }

  #can({ channel: channelId, accountId }: Target, capability: string): boolean {
    try {
      return this.#deps.services().channel(channelId, accountId).channel.capabilities.includes(capability);
    } catch (error) {
      log("debug", "channel.unknown", { channel: channelId, error: messageOf(error) });
      return false;
    }
  }

  /** What replies begin with. */
  #prefix(): string {
    try {
      const { config } = this.#deps.services();
      const { responsePrefix = "" } = config.messages;
      if (responsePrefix !== "auto") return responsePrefix === "" ? "" : `${responsePrefix} `;
      const { id, name = id } = agentIn(this.#deps.services(), this.#deps.session().agentId);
      return `[${name}] `;
    } catch (error) {
      log("debug", "reply.prefix_unknown", { error: messageOf(error) });
      return "";
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
    if (isJobWebhook(target)) return [markdown];
    try {
      return this.#deps.services().channel(target.channel, target.accountId).channel.format(markdown);
    } catch (error) {
      log("error", "reply.unformatted", { channel: target.channel, error: messageOf(error) });
      return [markdown];
    }
  }

  /** Adds the channel's token to a destination that has one. */
  async #withToken<Part extends { target: Target }>(part: Part): Promise<Part & Addressed> {
    const { channel, accountId, token } = part.target;
    if (token === undefined || token.expiresAt <= this.#deps.now()) return part;
    const opened = await this.#deps.services().dataKey?.open(token.sealed, tokenPurpose(channel, accountId));
    return opened === undefined ? part : { ...part, token: opened };
  }

  /** Shows a typing indicator. Never rejects. */
  async showTyping(target: Target): Promise<void> {
    try {
      const { channel, context } = this.#deps.services().channel(target.channel, target.accountId);
      await channel.typing?.(await this.#withToken({ target }), context);
    } catch (error) {
      log("debug", "typing.failed", { channel: target.channel, error: messageOf(error) });
    }
  }

  /**
   * Takes back what shows that an answer to a run's message is being written, if the run has sent nothing to it. Waits
   * for the current commit. Never rejects.
   */
  async noteUnanswered(runId: string, target: Target): Promise<void> {
    await Promise.resolve();
    try {
      const { channel, context } = this.#deps.services().channel(target.channel, target.accountId);
      if (channel.unanswered === undefined) return;
      const sent = runDeliveries(this.#deps.store, runId);
      if (sent.some((row) => row.target && isSameConversation(row.target, target))) return;
      await channel.unanswered(await this.#withToken({ target }), context);
    } catch (error) {
      log("debug", "unanswered.failed", { channel: target.channel, error: messageOf(error) });
    }
  }

  /** Sends a text to its channel, or to another session. */
  async #send(part: OutboundPart, signal: AbortSignal): Promise<Delivery> {
    if (part.target.channel === SESSION_CHANNEL) return this.#sendToSession(part);
    if (isJobWebhook(part.target)) return postWebhook(part, this.#deps.services(), this.#deps.now());
    try {
      const { channel, context } = this.#deps.services().channel(part.target.channel, part.target.accountId);
      return this.#preferred(part.target, await channel.send(part, context, signal));
    } catch (error) {
      return { outcome: "failed", reason: messageOf(error) };
    }
  }

  /** Whether visitors read what is delivered to them in the session that has it. */
  #isKeptHere({ channel: channelId, accountId }: Target): boolean {
    try {
      return this.#deps.services().channel(channelId, accountId).channel.hasVisitors ?? false;
    } catch (error) {
      log("debug", "channel.unknown", { channel: channelId, error: messageOf(error) });
      return false;
    }
  }

  /** Delivers to a visitor, who looks for it in the session of the conversation and nowhere else. */
  async #keep(part: OutboundPart, signal: AbortSignal): Promise<Delivery> {
    const services = this.#deps.services();
    const { sessionKey } = visitorSession(part.target, services);
    if (sessionKey !== this.#deps.session().key) return { outcome: "failed", reason: ELSEWHERE };
    const { channel, context } = services.channel(part.target.channel, part.target.accountId);
    return channel.send(part, context, signal);
  }

  /** Sends a file, or a link to it if the channel does not take it. */
  async #sendFile(part: OutboundPart, said: AttachedFile, signal: AbortSignal): Promise<Delivery> {
    const { session, services } = this.#deps;
    try {
      const { channel, context } = services().channel(part.target.channel, part.target.accountId);
      if (channel.sendFile === undefined) return await this.#sendFileLink(part, said, signal);
      const file = await readAttachedFile(said, services().workspaceOf(agentIn(services(), session().agentId)));
      if ("outcome" in file) return file;
      if (channel.takesFile?.(file) === false) return await this.#sendFileLink(part, said, signal);
      const { text: _, ...to } = part;
      return this.#preferred(part.target, await channel.sendFile({ ...to, ...file }, context, signal));
    } catch (error) {
      return { outcome: "failed", reason: messageOf(error) };
    }
  }

  /** Sends a link to a file, or its name where there can be no link. */
  async #sendFileLink(part: OutboundPart, said: AttachedFile, signal: AbortSignal): Promise<Delivery> {
    const { session, services } = this.#deps;
    const { channel, context } = services().channel(part.target.channel, part.target.accountId);
    const { path, etag } = said;
    const link = await this.#link({ kind: "file", agentId: session().agentId, path, etag }, path, part.target);
    const [text = part.text] = link === undefined ? [] : channel.format(`${fileLine(said)} ${link}`);
    return this.#preferred(part.target, await channel.send({ ...part, text }, context, signal));
  }

  /**
   * A link to a file, for a chat that takes none; undefined where links are not set up, or the Worker's own address is
   * not known.
   */
  async #link(file: LinkedFile, path: string, target: Target): Promise<string | undefined> {
    const { services, now } = this.#deps;
    const { dataKey, config } = services();
    const origin = config.channels.defaults?.publicUrl ?? target.origin;
    if (dataKey === undefined || origin === undefined) return undefined;
    return fileLink(file, path.slice(path.lastIndexOf("/") + 1), { dataKey, origin, now: now() });
  }

  /** Sends the rest of a long text as a file, or its beginning with a link to it if the channel takes no files. */
  async #sendRest(part: OutboundPart, name: string, signal: AbortSignal): Promise<Delivery> {
    const { target, token, text, deliveryId } = part;
    const to = { target, ...(token !== undefined && { token }), deliveryId };
    try {
      const { channel, context } = this.#deps.services().channel(target.channel, target.accountId);
      const file = {
        name,
        mediaType: "text/plain",
        bytes: Uint8Array.from(new TextEncoder().encode(text)),
        asVoice: false,
      };
      if (channel.sendFile === undefined || channel.takesFile?.(file) === false) {
        const key = await this.#deps.keepReply(deliveryId, text);
        const link = await this.#link({ kind: "text", key }, name, target);
        const where = link === undefined ? "on the page" : `here: ${link}`;
        const [beginning = ""] = channel.format(`${head(text, MAX_BEGINNING_CHARS)}\n\n… ${TOO_LONG} ${where}`);
        return this.#preferred(target, await channel.send({ ...part, text: beginning }, context, signal));
      }
      return this.#preferred(target, await channel.sendFile({ ...to, ...file }, context, signal));
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
