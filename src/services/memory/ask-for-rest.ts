import { backoffMs } from "../../lib/backoff.ts";
import { messageOf } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { requestIndexing } from "./request-indexing.ts";

/** How long work waits of which nothing could be done: twice as long each time. */
const FIRST_WAIT_MS = 2000;
/** After so many times in a row it is left to whoever searches, writes or asks next. */
const MAX_FRUITLESS = 10;
/** How long somebody else is left alone with it. */
const BUSY_WAIT_MS = 15_000;

/** How a work stands of which something is left. */
export interface Rest {
  /** Whether somebody else is at it. */
  isBusy: boolean;
  /** Whether some of it was done, and more can be done now. */
  hasMoved: boolean;
  /** How often in a row nothing could be done of it before. */
  fruitless: number;
  /** How long it is to wait at least, where nothing can be done of it now. */
  waitMs?: number | undefined;
}

/** Asks for the rest of a work. Never rejects: what is left is known, and somebody will ask for it. */
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
