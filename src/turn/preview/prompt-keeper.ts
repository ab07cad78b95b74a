import { type AnyTool, toolSchema } from "../../agent/tool.ts";
import { objectNameOf } from "../../config/session-ids.ts";
import { messageOf } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { log } from "../../lib/log.ts";
import { byteLength } from "../../lib/text.ts";
import type { SystemPrompt } from "../../models/model.ts";
import { reportPrompt } from "../../prompt/report.ts";
import { promptText } from "../../prompt/system-prompt.ts";
import type { Fence } from "../../session-store/fence.ts";
import { findPrompt, insertPrompts, promptOutline } from "../../session-store/prompt-rows.ts";
import type { PromptRef } from "../../session-store/run.ts";
import type { SessionRow } from "../../session-store/session-row.ts";
import { sessionFolder, spillKey } from "../../session-store/spill.ts";
import type { Store } from "../../session-store/store.ts";
import type { Outline } from "../../session-store/stored-shapes.ts";
import { createAttempt } from "../../workspace/retry.ts";
import type { ActiveRun } from "../active-run.ts";
import type { TurnPrompt } from "../turn-prompt.ts";
import { textHash } from "./prompt-view.ts";

/** Most bytes of a text in a row; a larger one is stored in R2. */
export const MAX_ROW_PROMPT_BYTES = 1_000_000;

/** Dependencies of `PromptKeeper`. */
export interface PromptKeeperDeps {
  store: Store;
  fence: Fence;
  files: R2Bucket;
  session(): SessionRow;
  now(): number;
}

/**
 * Stores the prompts that models are sent, each text once per session. A turn with the same prompt as the one before
 * writes nothing: its run refers to the texts in a row that is written anyway.
 */
export class PromptKeeper {
  readonly #deps: PromptKeeperDeps;
  #last: PromptRef | undefined;

  constructor(deps: PromptKeeperDeps) {
    this.#deps = deps;
  }

  /** Hashes of the texts that were stored last; a run that is not stored yet may refer to them. */
  get inUse(): ReadonlySet<string> {
    const { stable, dynamic, tools } = this.#last ?? {};
    return new Set([stable, dynamic, tools].filter((hash) => hash !== undefined));
  }

  /** Clears the state in memory after everything was deleted. */
  forget(): void {
    this.#last = undefined;
  }

  /**
   * Stores the prompt that a run's model is about to be sent, and returns it. A text that R2 does not accept is left
   * out, and logged.
   */
  async keep(prompt: TurnPrompt, tools: readonly AnyTool[], run: Pick<ActiveRun, "journal">): Promise<SystemPrompt> {
    run.journal.prompted(await this.#kept(prompt, tools));
    return prompt.system;
  }

  async #kept(prompt: TurnPrompt, tools: readonly AnyTool[]): Promise<PromptRef> {
    const { store, fence } = this.#deps;
    const { system, input } = prompt;
    const toolList = JSON.stringify(tools.map(toolSchema));
    const [stable = "", dynamic = "", toolsHash = ""] = await Promise.all(
      [system.stable, system.dynamic, toolList].map(textHash),
    );
    const ref = { stable, dynamic, tools: toolsHash, model: input.model };
    if (this.#last !== undefined && isSame(ref, this.#last)) return this.#last;
    const whole: PromptRef = { hash: await textHash(promptText(prompt)), ...ref };
    const report = reportPrompt(prompt, input);
    const none: Outline = { mode: input.mode, sections: [], files: [] };
    const rows = await Promise.all([
      this.#rowOf(stable, system.stable, promptOutline(report, "above", input.mode)),
      this.#rowOf(dynamic, system.dynamic, promptOutline(report, "below", input.mode)),
      this.#rowOf(toolsHash, toolList, none),
    ]);
    fence.write(() =>
      insertPrompts(
        store,
        rows.flatMap((row) => row ?? []),
      ),
    );
    this.#last = whole;
    return whole;
  }

  async #rowOf(hash: string, text: string, outline: Outline) {
    const createdAt = this.#deps.now();
    if (byteLength(text) <= MAX_ROW_PROMPT_BYTES) return { hash, text, spill: null, outline, createdAt };
    if (findPrompt(this.#deps.store, hash) !== undefined) return undefined;
    const { agentId, key } = this.#deps.session();
    const spill = newId("spl", createdAt);
    const place = spillKey(sessionFolder(agentId, await objectNameOf(key)), spill);
    try {
      await createAttempt()(spill, () => this.#deps.files.put(place, text, { httpMetadata: TEXT }));
    } catch (error) {
      log("error", "prompt.not_kept", { error: messageOf(error) });
      return undefined;
    }
    return { hash, text: null, spill, outline, createdAt };
  }
}

const TEXT = { contentType: "text/plain; charset=utf-8" };

function isSame(ref: Omit<PromptRef, "hash">, last: PromptRef): boolean {
  const { stable, dynamic, tools, model } = ref;
  return stable === last.stable && dynamic === last.dynamic && tools === last.tools && model === last.model;
}
