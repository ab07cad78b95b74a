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

/** How many results of a run are searched for a failed one. */
const MAX_RESULTS = 100;

const deliveredParts = prepared((store) =>
  store
    .select({ target: outbox.target, source: outbox.source, status: outbox.status })
    .from(outbox)
    .where(and(eq(outbox.runId, slot(outbox.runId)), isNotNull(outbox.source)))
    .orderBy(asc(outbox.id))
    .prepare(),
);

/** The Markdown that the message tool sent to a conversation in a run, without what the channel refused. */
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

/** The paths of files that the message tool sent to a conversation in a run, without what the channel refused. */
export function filesSentByTool(store: Store, runId: string, target: Target): string[] {
  return deliveredParts(store)
    .all({ run_id: runId })
    .flatMap((row) =>
      row.source?.kind === "file" &&
      row.status !== "failed" &&
      row.target !== undefined &&
      isSameConversation(row.target, target)
        ? [row.source.path]
        : [],
    );
}

/**
 * Adds the delivered part of an unfinished reply to the transcript, as an aborted reply, so that the model knows what
 * people have read. Call it within the fence, when a run's reply is given up.
 * @returns the number of that message; undefined where nothing of it was delivered
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

/** The last failed tool of a run that has not succeeded since; a skipped call does not count. */
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
