import type { ReplyToMode, Target } from "../channels/channel.ts";
import { messageOf } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { applyMessageHooks } from "../plugins/apply-message-hooks.ts";
import type { SessionHooks } from "../plugins/session-hooks.ts";
import { agentIn, type Services } from "../services/services.ts";
import { isJobWebhook } from "../session-store/job-webhook.ts";
import { takeUntold } from "../session-store/lost-deliveries.ts";
import type { OutboxPart, OutboxRow } from "../session-store/outbox.ts";
import type { RunState } from "../session-store/run.ts";
import type { Answering } from "../session-store/run-result.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import { askElsewhere, askPerson, peopleOf } from "../turn/approval-question.ts";
import { boundedParts, MAX_PARTS } from "../turn/output/bounded-parts.ts";
import { lostNotice } from "../turn/output/lost-notice.ts";
import { replyTargets } from "../turn/output/reply-parts.ts";
import { channelOf } from "./target-channel.ts";

/** A part whose words are wanted. */
type PlainPart = Pick<OutboxRow, "text"> & Partial<Pick<OutboxRow, "target" | "draft" | "source">>;

/** Dependencies of `DeliveryFormat`. */
export interface DeliveryFormatDeps {
  store: Store;
  session(): SessionRow;
  /** @throws IsopodError where the configuration is not valid */
  services(): Services;
  hooks: SessionHooks;
}

/** Turns Markdown into the parts of the outbox, in the markup of the channel that they go to. */
export class DeliveryFormat {
  readonly #deps: DeliveryFormatDeps;

  constructor(deps: DeliveryFormatDeps) {
    this.#deps = deps;
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

  #plain(target: Target, text: string): string {
    return channelOf(target, this.#deps.services)?.channel.plain?.(text) ?? text;
  }

  #can(target: Target, capability: string): boolean {
    return channelOf(target, this.#deps.services)?.channel.capabilities.includes(capability) ?? false;
  }

  #replyToMode(target: Target): ReplyToMode {
    const open = channelOf(target, this.#deps.services);
    return open?.channel.replyToMode?.(open.context.account) ?? "off";
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
}
