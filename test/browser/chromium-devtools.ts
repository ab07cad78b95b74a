import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHROMIUM, FLAGS } from "../e2e/browser.ts";
import type { DevTools } from "../fakes/browser-run.ts";

/**
 * A page that the Worker answers has no address of its own, so that Chromium takes it for a public one and keeps it from
 * this machine. The servers of the tests stand for public hosts.
 */
const AS_IF_PUBLIC =
  "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,LocalNetworkAccessChecksWebTransport,LocalNetworkAccessChecksWebRTC,LocalNetworkAccessForWorkers,BlockInsecurePrivateNetworkRequests";

/** Starts a Chromium of its own, to be driven over its DevTools, as Browser Run does for each session. */
export async function startChromium(send: (message: string) => void, close: () => void): Promise<DevTools> {
  const profile = await mkdtemp(join(tmpdir(), "isopod-browser-"));
  const args = [
    "--headless",
    "--remote-debugging-port=0",
    `--user-data-dir=${profile}`,
    ...FLAGS,
    AS_IF_PUBLIC,
    "about:blank",
  ];
  const chromium = spawn(CHROMIUM, args, { stdio: ["ignore", "ignore", "pipe"] });
  const socket = new WebSocket(await endpointOf(chromium));
  socket.addEventListener("message", ({ data }) => send(String(data)));
  socket.addEventListener("close", close);
  await new Promise((opened) => socket.addEventListener("open", opened, { once: true }));
  return {
    receive: (message) => socket.send(message),
    end() {
      socket.close();
      chromium.once("exit", () => void rm(profile, { recursive: true, force: true, maxRetries: 5 }));
      chromium.kill();
    },
  };
}

/** The address of its DevTools, which it prints when it is ready. */
function endpointOf(chromium: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    chromium.stderr?.on("data", (data) => {
      printed += data;
      const [, address] = /DevTools listening on (ws:\S+)/.exec(printed) ?? [];
      if (address !== undefined) resolve(address);
    });
    chromium.once("error", reject);
    chromium.once("exit", () => reject(new Error(`Chromium ended before it was ready:\n${printed}`)));
  });
}
