import { and, asc, desc, eq, gte, isNotNull, isNull, sql } from "drizzle-orm";
import type { ToolFailure } from "../agent/reply.ts";
import { SKIPPED } from "../agent/run-tools.ts";
import type { Target } from "../channels/channel.ts";
import { newId } from "../lib/ids.ts";
import { type AssistantMessage, NO_USAGE } from "../models/message.ts";
import type { EventLog } from "./event-log.ts";
import { messageField } from "./message-pages.ts";
import { isSameConversation } from "./outbox.ts";
import type { OpenRun } from "./runs.ts";
import { messages, outbox } from "./schema.ts";
import { prepared, type Store, slot } from "./store.ts";

/** How many of a run's results are looked at for one that failed. */
const MAX_RESULTS = 100;

const deliveredParts = prepared((store) =>
  store
    .select({ target: outbox.target, source: outbox.source, status: outbox.status })
    .from(outbox)
    .where(and(eq(outbox.runId, slot(outbox.runId)), isNotNull(outbox.source)))
    .orderBy(asc(outbox.id))
    .prepare(),
);

/** What the message tool has sent to a conversation in a run, as Markdown; what the channel has refused was not sent. */
export function sentByTool(store: Store, runId: string, target: Target): string[] {
  return deliveredParts(store)
    .all({ run_id: runId })
    .flatMap((row) =>
      row.source?.kind === "message" &&
      row.status !== "failed" &&
      row.target !== undefined &&
      isSameConversation(row.target, target)
        ? [row.source.text]
        : [],
    );
}

/**
 * Puts into the transcript what people were sent of a reply that will not be finished, as a reply that was interrupted:
 * so the model sees that they have read it. To be called within the fence, when a run's reply is given up.
 * @returns the number of that message; undefined where nobody was sent anything of it
 */
export function keepInterruptedReply(store: Store, log: EventLog, row: OpenRun, now: number): number | undefined {
  const parts = deliveredParts(store).all({ run_id: row.id });
  if (parts.length === 0) return undefined;
  const after = log.lastMessageSeq(row);
  const blocks = parts.flatMap((part) =>
    part.source?.kind === "block" && part.source.after === after ? [part.source] : [],
  );
  const [first] = blocks;
  if (first === undefined) return undefined;
  const message: AssistantMessage = {
    role: "assistant",
    id: newId("msg", now),
    at: now,
    model: first.model,
    parts: [{ type: "text", text: blocks.map(({ source }) => source).join("") }],
    stop: "aborted",
    usage: NO_USAGE,
  };
  return log.append(row.id, message);
}

/** The tool of a run that failed last and has not done better since; a call that was skipped is none. */
export function failureIn(store: Store, { id, firstSeq }: Pick<OpenRun, "id" | "firstSeq">): ToolFailure | undefined {
  const results = store
    .select({
      tool: sql<string>`${messageField("$.tool")}`,
      isError: sql<number>`${messageField("$.isError")}`,
      error: sql<string>`substr(${messageField("$.text")}, 1, 1000)`,
    })
    .from(messages)
    .where(
      and(
        gte(messages.seq, firstSeq),
        eq(messages.runId, id),
        sql`${messageField("$.role")} = 'tool'`,
        isNull(messageField("$.inner")),
      ),
    )
    .orderBy(desc(messages.seq))
    .limit(MAX_RESULTS)
    .all();
  const newest = new Map(results.toReversed().map((result) => [result.tool, result]));
  return results.find(
    (result) => newest.get(result.tool) === result && result.isError === 1 && result.error !== SKIPPED,
  );
}
