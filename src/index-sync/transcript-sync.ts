import { type Agent, agentOf } from "../config/agents.ts";
import { messageOf } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { log as writeLog } from "../lib/log.ts";
import { type TranscriptPage, transcriptPath } from "../memory/transcript-path.ts";
import type { Message } from "../models/message.ts";
import { type IndexMemory, requestIndexing } from "../services/memory/request-indexing.ts";
import { forgetTranscripts, notePages } from "../services/memory/transcript-index.ts";
import { isRemembered, remembersTranscripts } from "../services/memory/transcript-sources.ts";
import type { Services } from "../services/services.ts";
import type { Fence } from "../session-store/fence.ts";
import type { SessionRow } from "../session-store/session-row.ts";
import type { Store } from "../session-store/store.ts";
import {
  appendPages,
  findPage,
  hasPages,
  hasUnindexedText,
  listPages,
  markIndexed,
  type PageRow,
  pageEtag,
  pageLines,
  transcriptLines,
  unindexedPages,
} from "../session-store/transcript-pages.ts";

/** Most batches of messages that one call adds to the pages; the next call continues. */
const MAX_BATCHES = 100;

/** Dependencies of `TranscriptSync`. */
export interface TranscriptSyncDeps {
  store: Store;
  fence: Fence;
  /** The memory index, and the queue that updates it. */
  memory: D1Database;
  indexing: Queue<IndexMemory>;
  session(): SessionRow;
  /** @throws IsopodError where the configuration is not valid */
  services(): Pick<Services, "config">;
  now(): number;
}

/** Pages of a session's transcript for the memory index. Where transcripts are no source, it does nothing. */
export class TranscriptSync {
  readonly #deps: TranscriptSyncDeps;
  #syncing: Promise<void> | undefined;

  constructor(deps: TranscriptSyncDeps) {
    this.#deps = deps;
  }

  /**
   * All pages, the newest first, which marks them as indexed. `isWhole` says whether the newest messages are included.
   */
  async pages(): Promise<{ pages: TranscriptPage[]; isWhole: boolean }> {
    if (!this.#isIndexed()) return { pages: [], isWhole: true };
    const isWhole = await this.#paginate();
    const { store, fence } = this.#deps;
    const pages = listPages(store).filter(({ keptSeq, lastSeq }) => keptSeq <= lastSeq);
    if (unindexedPages(store).length > 0) fence.write(() => markIndexed(store, unindexedPages(store)));
    return { pages: pages.map((page) => this.#pageView(page)), isWhole };
  }

  /** The current content of a page; undefined where there is none, or nothing of it is left. */
  page(conversation: string, number: number): (TranscriptPage & { text: string }) | undefined {
    const { store } = this.#deps;
    const page = this.#isIndexed() ? findPage(store, conversation, number) : undefined;
    const lines = page && pageLines(store, page, this.#messageLines());
    return page && lines && { ...this.#pageView(page), text: lines.join("\n") };
  }

  /**
   * Requests an index update where enough was added, a conversation ended, or messages were deleted. Never rejects: a
   * failed request is repeated after the next turn.
   */
  sync(): Promise<void> {
    this.#syncing ??= this.#sync().finally(() => {
      this.#syncing = undefined;
    });
    return this.#syncing;
  }

  /**
   * The session is being deleted: removes its transcript from the index. May be repeated.
   * @throws any error of D1 or of the queue
   */
  async forget(): Promise<void> {
    const { store, memory, indexing, session } = this.#deps;
    if (!hasPages(store)) return;
    const { agentId, key } = session();
    await forgetTranscripts(memory, agentId, key);
    await requestIndexing(indexing, agentId);
  }

  /** Resolves when no request is under way. */
  async idle(): Promise<void> {
    await this.#syncing;
  }

  async #sync(): Promise<void> {
    const { store, fence, memory, indexing, session, now } = this.#deps;
    try {
      const agent = this.#agent();
      if (!remembersTranscripts(agent) || !this.#isIndexed()) return;
      const { deltaBytes: bytes, deltaMessages: messages } = agent.memorySearch.sync.sessions;
      if (hasUnindexedText(store, session(), { bytes, messages })) await this.#paginate();
      const changed = unindexedPages(store);
      if (changed.length === 0) return;
      const at = now();
      const paths = changed.map((page) => this.#pageView(page).path);
      await notePages(memory, agent.id, paths, { token: newId("ver", at), at });
      await requestIndexing(indexing, agent.id);
      fence.write(() => markIndexed(store, changed));
    } catch (error) {
      writeLog("warn", "memory.sync_failed", { error: messageOf(error) });
    }
  }

  /**
   * Adds new messages to the pages, in small commits.
   * @returns whether all of them are included
   */
  async #paginate(): Promise<boolean> {
    const { store, fence, session } = this.#deps;
    const messageLines = this.#messageLines();
    for (let step = 0; step < MAX_BATCHES; step++) {
      if (!fence.write(() => appendPages(store, session(), messageLines))) return true;
      await scheduler.wait(0);
    }
    return false;
  }

  /** Sessions with an expiry are not indexed. */
  #isIndexed(): boolean {
    const { key, settings } = this.#deps.session();
    return isRemembered(key) && settings.lingerMs === undefined;
  }

  #pageView(page: PageRow): TranscriptPage {
    const { conversation, page: number, size, lastMessageAt } = page;
    const path = transcriptPath({ sessionKey: this.#deps.session().key, conversation, page: number });
    return { path, etag: pageEtag(page), size, modifiedAt: lastMessageAt };
  }

  #messageLines(): (message: Message) => string[] {
    const { userTimezone = "UTC" } = this.#agent().defaults;
    return (message) => transcriptLines(message, userTimezone);
  }

  #agent(): Agent {
    return agentOf(this.#deps.services().config, this.#deps.session().agentId);
  }
}
