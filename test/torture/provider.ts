import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type LocalServer, listen } from "../fakes/listen.ts";
import { render } from "../fakes/model-script.ts";
import type { Faults } from "./faults.ts";
import { bodyOf } from "./gate.ts";
import { replyTo, textOf, type WireMessage } from "./script.ts";
import type { Watch } from "./watch.ts";

/** What a request showed the model: the texts of its user messages, in order. */
export type ModelRequest = readonly string[];

/** A provider of models, and everything that it was asked. */
export interface Provider extends LocalServer {
  readonly requests: readonly ModelRequest[];
}

/** Starts a provider that speaks Chat Completions and answers each conversation with what its script says. */
export async function startProvider(watch: Watch, faults: Faults): Promise<Provider> {
  const requests: ModelRequest[] = [];
  const server = await listen((request, response) => {
    bodyOf(request)
      .then((body) => {
        const { messages }: { messages: WireMessage[] } = JSON.parse(body);
        requests.push(messages.filter(({ role }) => role === "user").map(textOf));
        return answer(messages, response, watch, faults);
      })
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  return { ...server, requests };
}

async function answer(messages: WireMessage[], response: ServerResponse, watch: Watch, faults: Faults): Promise<void> {
  const reply = replyTo(messages);
  const name = reply.calls?.[0]?.id ?? reply.text?.split(".")[0] ?? "model";
  const leave = watch.enter("model", name);
  response.on("close", leave);
  await sleep(reply.delayMs ?? 0);
  const fault = faults.ofModel(name);
  if (fault === "cut") return void response.destroy();
  if (fault === "500" || fault === "429") return refuse(response, Number(fault));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunks = [...render("completions", reply, 1)];
  for (const [at, chunk] of chunks.entries()) {
    if (response.destroyed) return;
    if (fault !== undefined && at >= chunks.length / 2) {
      if (fault === "torn") response.write(chunk.slice(0, chunk.length / 2));
      return void setTimeout(() => response.destroy(), 5);
    }
    response.write(chunk);
    await sleep(reply.gapMs ?? 0);
  }
  response.end(() => watch.committed(name));
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "application/json", ...(status === 429 && { "retry-after": "1" }) });
  response.end(JSON.stringify({ error: { message: status === 429 ? "Slow down." : "Something broke." } }));
}
