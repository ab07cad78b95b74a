import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { render } from "../fakes/model-script.ts";
import { bodyOf, listen, type Server } from "./gate.ts";
import { replyTo, type WireMessage } from "./script.ts";
import type { Watch } from "./watch.ts";

/** Starts a provider that speaks Chat Completions and answers each conversation with what its script says. */
export async function startProvider(watch: Watch): Promise<Server> {
  return listen((request, response) => {
    bodyOf(request)
      .then((body) => answer(JSON.parse(body), response, watch))
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
}

async function answer(
  { messages }: { messages: WireMessage[] },
  response: ServerResponse,
  watch: Watch,
): Promise<void> {
  const reply = replyTo(messages);
  const name = reply.calls?.[0]?.id ?? reply.text?.split(".")[0] ?? "model";
  const leave = watch.enter("model", name);
  response.on("close", leave);
  await sleep(reply.delayMs ?? 0);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const chunk of render("completions", reply, 1)) {
    if (response.destroyed) return;
    response.write(chunk);
    await sleep(reply.gapMs ?? 0);
  }
  response.end(() => watch.committed(name));
}
