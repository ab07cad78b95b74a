import { type AgentEvent, isLast } from "../agent/events.ts";
import type { EventLog } from "./event-log.ts";
import type { RunSpan } from "./stored-events.ts";

const PAGE = 100;
/** Proxies close silent connections; a comment line keeps them open. */
const PING_MS = 15_000;

/**
 * Events as `text/event-stream` (WHATWG HTML, server-sent events): `id` is the number to resume after, `event` the
 * type, `data` the event as JSON. The stream of a run closes after the run's last event, and every stream when the
 * session is deleted.
 *
 * It is pulled: nothing is read before the reader asks for it.
 */
export function eventStream(log: EventLog, after: number, run?: () => RunSpan): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const { era } = log;
  let cursor = after;
  let cancelled = false;
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      while (!cancelled) {
        if (log.era !== era) {
          controller.close();
          return;
        }
        const span = run?.();
        const page = log.read({ after: cursor, limit: PAGE, ...(span && { run: span }) });
        const last = page.at(-1);
        if (last !== undefined) {
          cursor = last.seq;
          controller.enqueue(encoder.encode(page.map(frame).join("")));
          if (run !== undefined && page.some(isLast)) controller.close();
          return;
        }
        if (span?.endSeq !== undefined) {
          controller.close();
          return;
        }
        const waitedFrom = log.lastSeq;
        await log.changed(PING_MS);
        if (log.lastSeq === waitedFrom && log.era === era && !cancelled) {
          controller.enqueue(encoder.encode(": ping\n\n"));
          return;
        }
      }
    },
    cancel() {
      cancelled = true;
    },
  });
}

function frame(event: AgentEvent): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
