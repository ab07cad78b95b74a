import { openBudgetBefore, type RunBudgetDeps } from "../budgets/run-budget.ts";
import type { Target } from "../channels/channel.ts";
import { atMost } from "../lib/at-most.ts";
import { deadline, streamWithin } from "../lib/deadline.ts";
import { messageOf } from "../lib/errors.ts";
import { log as writeLog } from "../lib/log.ts";
import { addUsage, NO_USAGE } from "../models/message.ts";
import { joinLabels } from "../security/labels.ts";
import { modelTakes, sessionModel } from "../services/model-lookup.ts";
import { agentIn } from "../services/services.ts";
import type { PendingFile, RunInput } from "../session-store/run-input.ts";
import { boundedText } from "../session-store/run-request.ts";
import { findRun, openRuns, type RunRow, saveInput, saveState } from "../session-store/runs.ts";
import type { SubagentsDeps } from "../subagents/subagents-deps.ts";
import { type KeptFile, keepFile, keptFile, notFetched, shownFiles } from "../turn/inbox.ts";
import { type HeardFile, transcribeFile } from "../turn/transcribe-file.ts";

/** How long the download of one file may take, in milliseconds. */
const DOWNLOAD_MS = 60_000;
/** How many files of a message are in memory at once. */
const AT_ONCE = 2;
/** How often a message's files are fetched where the session dies of it, or cannot store them. */
const MAX_ATTEMPTS = 3;
const GIVEN_UP = new Error("the session failed again and again while it was read");

/** What fetching files depends on. */
export interface InboundFilesDeps
  extends Pick<SubagentsDeps, "store" | "fence" | "session" | "services">,
    RunBudgetDeps {
  /** Called when files have arrived, or could not be had: their run may begin. */
  changed(): void;
}

/**
 * Fetches the files of accepted messages from their platforms, and transcribes recordings, before their runs begin. The
 * same file of the same message has the same path, so that it may be fetched again after a crash; a message whose files
 * were begun three times goes on without them.
 */
export class InboundFiles {
  readonly #deps: InboundFilesDeps;
  readonly #fetching = new Map<string, Promise<void>>();

  constructor(deps: InboundFilesDeps) {
    this.#deps = deps;
  }

  /** Begins to fetch what waiting messages have brought. Never rejects; undefined if nothing is left to begin. */
  fetch(): Promise<void> | undefined {
    const waiting = openRuns(this.#deps.store).filter(
      ({ id, state }) => state.status === "queued" && state.hasFiles && !this.#fetching.has(id),
    );
    if (waiting.length === 0) return undefined;
    for (const { id, target } of waiting) this.#fetching.set(id, this.#fetch(id, target));
    return this.idle();
  }

  /** Resolves when nothing is being fetched. */
  async idle(): Promise<void> {
    await Promise.all(this.#fetching.values());
  }

  async #fetch(runId: string, target: Target | null): Promise<void> {
    try {
      const { store, fence } = this.#deps;
      const row = findRun(store, runId);
      const files = row?.input?.files ?? [];
      const isGivenUp = !fence.write(() => this.#attempt(row));
      const kept = isGivenUp
        ? files.map(({ name }) => notFetched(name, GIVEN_UP))
        : await atMost(AT_ONCE, files, (file) => this.#keep(file, runId, target));
      const heard = row === undefined || isGivenUp ? kept : await this.#transcribe(kept, files, row);
      fence.write(() => this.#store(runId, files, heard));
    } catch (error) {
      writeLog("error", "files.not_stored", { runId, error: messageOf(error) });
    } finally {
      this.#fetching.delete(runId);
    }
    this.#deps.changed();
  }

  /** Stores that a message's files are being fetched; false where that was begun too often. */
  #attempt(row: RunRow | undefined): boolean {
    if (row?.state.status !== "queued") return true;
    const { fileAttempts = 0 } = row.state;
    if (fileAttempts >= MAX_ATTEMPTS) return false;
    saveState(this.#deps.store, row.id, { ...row.state, fileAttempts: fileAttempts + 1 });
    return true;
  }

  /** Stores what became of a message's files. Parts that have come meanwhile stay to be fetched. */
  #store(runId: string, fetched: readonly PendingFile[], kept: readonly HeardFile[]): void {
    const { store } = this.#deps;
    const row = findRun(store, runId);
    if (row?.state.status !== "queued" || row.input === null) return;
    const files = row.input.files?.slice(fetched.length) ?? [];
    const input = withFiles({ ...row.input, files }, kept);
    saveInput(store, runId, input);
    const { hasFiles: _, fileAttempts: __, ...state } = row.state;
    saveState(store, runId, { ...state, chars: input.text.length, ...(files.length > 0 && { hasFiles: true }) });
  }

  /** Transcribes recordings, one after the other: each is in memory as a whole. */
  async #transcribe(kept: readonly KeptFile[], files: readonly PendingFile[], row: RunRow): Promise<HeardFile[]> {
    const { session } = this.#deps;
    const services = this.#deps.services();
    const agent = agentIn(services, session().agentId);
    const { id = "unknown", owner = false } = row.input?.sender ?? {};
    const deps = {
      services,
      workspace: services.workspaceOf(agent),
      isHeard: modelTakes(row.input?.model ?? sessionModel(session().settings, agent, services), "audio", services),
      sender: { id: `${row.target?.channel ?? "unknown"}:${id}`, owner },
      budget: openBudgetBefore(row, agent, services.config, this.#deps),
    };
    const heard: HeardFile[] = [];
    for (const [at, file] of files.entries()) {
      const one = kept[at];
      if (one !== undefined) heard.push(await transcribeFile(one, file, deps));
    }
    return heard;
  }

  async #keep(file: PendingFile, runId: string, target: Target | null): Promise<KeptFile> {
    const limit = deadline(DOWNLOAD_MS);
    try {
      const { store, services, session } = this.#deps;
      const sender = findRun(store, runId)?.input?.sender;
      const workspace = services().workspaceOf(agentIn(services(), session().agentId));
      if ("path" in file) {
        const { bytes } = await workspace.read(file.path);
        return await keptFile({ ...file, bytes, mediaType: file.mediaType });
      }
      if (target === null || sender === undefined) throw new Error("nothing says which platform has it");
      const { channel, context } = services().channel(target.channel, target.accountId);
      if (channel.openAttachment === undefined) throw new Error(`${channel.id} hands over no files`);
      const bytes = streamWithin(await channel.openAttachment(file.reference, context, limit.signal), limit);
      const { accountId, conversationId, replyToId: messageId = runId } = target;
      const origin = {
        ...{ channel: channel.id, conversationId, messageId, senderId: sender.id, owner: sender.owner },
        ...(channel.hasOwnIds && accountId !== "default" && { accountId }),
      };
      return await keepFile({ ...file, bytes }, origin, workspace);
    } catch (error) {
      return notFetched(file.name, limit.signal.aborted ? new Error("no answer in time") : error);
    } finally {
      limit.done();
    }
  }
}

/** An input with the notes on its files, and what models are shown of them. */
export function withFiles(input: RunInput, kept: readonly HeardFile[]): RunInput {
  const { files = [], images = [], media = [], origin, ...rest } = input;
  const shown = shownFiles(kept);
  const notes = kept.map(({ note }) => note);
  const labels = joinLabels(input.labels, ...kept.map((file) => file.labels));
  const suspected = [...(input.suspected ?? []), ...kept.flatMap((file) => file.suspected ?? [])];
  const spent = kept.flatMap(({ usage }) => usage ?? []).reduce(addUsage, input.spent ?? NO_USAGE);
  const withNotes = (text: string) => boundedText([text, ...notes].filter((part) => part !== "").join("\n\n"));
  return {
    ...rest,
    text: withNotes(input.text),
    images: [...images, ...shown.images],
    media: [...media, ...shown.media],
    ...(files.length > 0 && { files }),
    ...(kept.some(({ isSpoken }) => isSpoken) && { isSpoken: true as const }),
    ...(labels.length > 0 && { labels }),
    ...(suspected.length > 0 && { suspected }),
    ...(spent !== NO_USAGE && { spent }),
    // The first message of a new conversation is in the arguments of its command.
    ...(origin && { origin: origin.kind === "reset" ? { ...origin, args: withNotes(origin.args) } : origin }),
  };
}
