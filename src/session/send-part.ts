import type { Addressed, Delivery, OutboundPart, Target } from "../channels/channel.ts";
import { newRunId, objectNameOf } from "../config/session-ids.ts";
import { comesWithin } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { head } from "../lib/text.ts";
import { visitorSession } from "../services/conversation-place.ts";
import { fileLink, type LinkedFile } from "../services/file-links.ts";
import { agentIn, tokenPurpose } from "../services/services.ts";
import { isJobWebhook } from "../session-store/job-webhook.ts";
import { isSameConversation, runDeliveries } from "../session-store/outbox.ts";
import { noteRequest, SESSION_CHANNEL } from "../session-store/session-channel.ts";
import type { AttachedFile, DeliverySource } from "../session-store/stored-shapes.ts";
import type { SubagentsDeps } from "../subagents/subagents-deps.ts";
import { fileLine, readAttachedFile } from "../turn/output/files.ts";
import { postWebhook } from "./post-webhook.ts";
import { channelOf } from "./target-channel.ts";

/** Timeout of another session's object. */
const ANSWER_MS = 30_000;

/** Most characters of a long reply that a channel without files gets in its last message. */
const MAX_BEGINNING_CHARS = 500;
const ELSEWHERE = "A visitor of a page reads the answers of the visitor's own session alone.";
const TOO_LONG = "The reply is too long for this chat: its rest is";

/** Dependencies of `PartSender`. */
export interface PartSenderDeps extends Pick<SubagentsDeps, "store" | "session" | "services" | "call" | "now"> {
  /** Keeps the whole text of a reply in R2. Gives its key; may be repeated. */
  keepReply(deliveryId: string, text: string): Promise<string>;
}

/** Sends single parts of the outbox to where they go: a channel, another session or a webhook. */
export class PartSender {
  readonly #deps: PartSenderDeps;

  constructor(deps: PartSenderDeps) {
    this.#deps = deps;
  }

  /** Sends a part. A failure to send is an outcome; it rejects only where the part cannot be read. */
  async send(
    { source, ...addressed }: OutboundPart & { source: DeliverySource | null | undefined },
    signal: AbortSignal,
  ): Promise<Delivery> {
    const part = await this.#withToken(addressed);
    if (channelOf(part.target, this.#deps.services)?.channel.hasVisitors) return this.#keep(part, signal);
    if (source?.kind === "file") return this.#sendFile(part, source, signal);
    if (source?.kind === "rest" || source?.kind === "whole") return this.#sendRest(part, source.name, signal);
    return this.#send({ ...part, ...(source && "buttons" in source && { buttons: source.buttons }) }, signal);
  }

  /** Whether an account prefers a double to a gap. */
  repeats(target: Target): boolean {
    const open = channelOf(target, this.#deps.services);
    return open?.channel.atLeastOnce?.(open.context.account) ?? false;
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

  /** Adds the channel's token to a destination that has one. */
  async #withToken<Part extends { target: Target }>(part: Part): Promise<Part & Addressed> {
    const { channel, accountId, token } = part.target;
    if (token === undefined || token.expiresAt <= this.#deps.now()) return part;
    const opened = await this.#deps.services().dataKey?.open(token.sealed, tokenPurpose(channel, accountId));
    return opened === undefined ? part : { ...part, token: opened };
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

  /** What an outcome means to an account: one that prefers doubles sends again what may not have arrived. */
  #preferred(target: Target, delivery: Delivery): Delivery {
    if (delivery.outcome !== "unsure" || !this.repeats(target)) return delivery;
    return { outcome: "retry", afterMs: 0, reason: delivery.reason };
  }
}
