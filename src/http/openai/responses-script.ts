import { problemOf } from "./errors.ts";
import type { ResponseEvent, ResponseTelling } from "./responses-telling.ts";
import type { Script } from "./stream.ts";

/** How a response is streamed: events that say their type twice. */
export function responseScript(telling: ResponseTelling): Script {
  return {
    begin: () => telling.begin().map(written).join(""),
    of: (told) => telling.of(told).map(written).join(""),
    broken: (thrown) => written(telling.broken(problemOf(thrown, "/v1/responses").error)),
    end: () => "",
  };
}

function written(event: ResponseEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
