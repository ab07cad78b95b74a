import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const PAUSE_MS = 60;

/** A model's server (OpenAI's chat completions, streamed) that counts, a word at a time, until somebody hangs up. */
export class SlowModel {
  /** Connections that were hung up before the end. */
  hungUp = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((_, response) => this.#count(response));
  }

  static async start(): Promise<SlowModel> {
    const model = new SlowModel();
    await new Promise<void>((resolve) => model.#server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #count(response: ServerResponse): Promise<void> {
    response.on("close", () => {
      if (!response.writableFinished) this.hungUp++;
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let number = 1; number <= 60 && !response.destroyed; number++) {
      response.write(chunk({ content: `${number} ` }, null));
      await sleep(PAUSE_MS);
    }
    response.write(chunk({ content: "done" }, "stop"));
    response.end("data: [DONE]\n\n");
  }
}

function chunk(delta: { content: string }, finishReason: "stop" | null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "slow", choices })}\n\n`;
}
