import { backoffMs } from "../../lib/backoff.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { requestIndexing } from "./request-indexing.ts";

/** Delay after an attempt without progress; doubled each time. */
const FIRST_WAIT_MS = 2000;
/** After this many attempts without progress, no more messages are sent until the next search, write or request. */
const MAX_FRUITLESS = 10;
/** Delay while another worker holds the index. */
const BUSY_WAIT_MS = 15_000;

/** The state of unfinished work. */
export interface Rest {
  /** Whether another worker holds the index. */
  isBusy: boolean;
  /** Whether there was progress, and more is possible now. */
  hasMoved: boolean;
  /** The number of consecutive attempts without progress before. */
  fruitless: number;
  /** The minimum delay, if no progress is possible now. */
  waitMs?: number | undefined;
}

/** Requests the rest of the work. Never rejects: the unfinished work is stored, and a later request will include it. */
export async function askForRest(
  { indexing, agentId }: { indexing: Queue; agentId: string },
  rest: Rest,
): Promise<void> {
  const how = howToAsk(rest);
  if (how === undefined) return;
  try {
    await requestIndexing(indexing, agentId, how);
  } catch (thrown) {
    log("warn", "memory.indexing_not_asked", { agentId, error: messageOf(thrown) });
  }
}

function howToAsk({ isBusy, hasMoved, fruitless, waitMs = 0 }: Rest) {
  if (isBusy) return { delayMs: BUSY_WAIT_MS };
  if (hasMoved) return {};
  if (fruitless >= MAX_FRUITLESS) return undefined;
  return { delayMs: Math.max(waitMs, backoffMs(fruitless, { firstMs: FIRST_WAIT_MS })), fruitless: fruitless + 1 };
}
