// A page that tries every way out that a page has, and the server that notes what came.

import { createSocket } from "node:dgram";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type LocalServer, listen } from "../fakes/listen.ts";

/** What stands for hosts that no page may reach. */
export interface Outside extends LocalServer {
  /** What came, each way once: the last part of the path, `udp`, or `connection` for one without a request. */
  readonly came: ReadonlySet<string>;
  /** The port for datagrams. */
  udpPort: number;
}

/** Starts a server for requests, WebSockets and datagrams. */
export async function startOutside(): Promise<Outside> {
  const came = new Set<string>();
  const wayOf = ({ url = "" }: IncomingMessage) => url.split("/").at(-1) ?? url;
  const server = await listen(
    (request, response) => {
      came.add(wayOf(request));
      const kept = wayOf(request) === "download" ? { "Content-Disposition": "attachment" } : {};
      response.writeHead(200, { "Access-Control-Allow-Origin": "*", "Content-Type": "text/plain", ...kept }).end("out");
    },
    0,
    (request, socket) => {
      came.add(wayOf(request));
      socket.end();
    },
  );
  const udp = createSocket("udp4");
  udp.on("message", () => came.add("udp"));
  await new Promise<void>((bound) => udp.bind(0, "127.0.0.1", bound));
  return {
    ...server,
    came,
    udpPort: (udp.address() as AddressInfo).port,
    async close() {
      udp.close();
      await server.close();
    },
  };
}

/**
 * What a browser without any layer lets out of the page below, so that the test of the layers tries what it says. Whether
 * it follows speculation rules is its own decision each time: they are tried and not listed.
 */
export const WAYS = [
  ...[
    "fetch",
    "keepalive",
    "xhr",
    "socket",
    "events",
    "beacon",
    "image",
    "style",
    "font",
    "frame",
    "nested",
    "object",
    "video",
  ],
  ...[
    "worker",
    "shared",
    "service",
    "prefetch",
    "modulepreload",
    "form",
    "refresh",
    "report",
    "ping",
    "download",
    "udp",
  ],
];

/** The pages of a site that wants out, by path. */
export function wantsOut(
  outside: string,
  udpPort: number,
): Record<string, { headers?: Record<string, string>; body: string }> {
  const to = (way: string) => `${outside}/out/${way}`;
  const html = { "Content-Type": "text/html" };
  const js = { "Content-Type": "text/javascript" };
  return {
    "/": {
      headers: { ...html, "Content-Security-Policy": `img-src ${outside} 'self'; report-uri ${to("report")}` },
      body: `<!doctype html><title>Wants out</title><h1>Wants out</h1>
<link rel="stylesheet" href="${to("style")}"><link rel="prefetch" href="${to("prefetch")}">
<link rel="modulepreload" href="${to("modulepreload")}"><link rel="preconnect" href="${outside}"><link rel="dns-prefetch" href="${outside}">
<style>@font-face { font-family: Out; src: url("${to("font")}") } p { font-family: Out }</style><p>Text in a font</p>
<script type="speculationrules">{ "prefetch": [{ "source": "list", "urls": ["${to("speculation")}"], "eagerness": "immediate" }] }</script>
<iframe src="${to("frame")}"></iframe><iframe src="/refresh"></iframe><iframe src="/nested"></iframe><iframe name="sink"></iframe>
<object data="${to("object")}"></object><video src="${to("video")}" preload="auto"></video>
<button onclick="stun(open('about:blank').RTCPeerConnection)">Window</button>
<form action="${to("form")}" method="post" target="sink"><input name="a" value="b"></form>
<a id="ping" href="#there" ping="${to("ping")}">ping</a><a id="download" href="${to("download")}" download>file</a>
<script>
const quietly = (work) => { try { Promise.resolve(work()).catch(() => 0); } catch {} };
quietly(() => fetch("${to("fetch")}", { mode: "no-cors", method: "POST", body: "x" }));
quietly(() => fetch("${to("keepalive")}", { mode: "no-cors", keepalive: true }));
quietly(() => { const x = new XMLHttpRequest(); x.open("GET", "${to("xhr")}"); x.send(); });
quietly(() => { window.socket = new WebSocket("${to("socket").replace("http", "ws")}"); });
quietly(() => { window.events = new EventSource("${to("events")}"); });
quietly(() => navigator.sendBeacon("${to("beacon")}", "x"));
quietly(() => { window.image = new Image(); image.src = "${to("image")}"; });
quietly(() => { window.refused = new Image(); refused.src = "http://127.0.0.1:1/reported"; });
quietly(() => { window.worker = new Worker("/worker.js"); });
quietly(() => { window.shared = new SharedWorker("/shared.js"); });
quietly(() => navigator.serviceWorker.register("/service.js"));
quietly(() => document.forms[0].submit());
quietly(() => document.getElementById("ping").click());
quietly(() => document.getElementById("download").click());
quietly(() => { const bare = document.body.appendChild(document.createElement("iframe")); stun(bare.contentWindow.RTCPeerConnection); });
quietly(() => { const other = open("about:blank"); stun(other.RTCPeerConnection); });
quietly(() => { const transport = new WebTransport("https://127.0.0.1:${udpPort}/"); return transport.ready; });
quietly(() => stun(RTCPeerConnection));
async function stun(Connection) {
  const peer = new Connection({ iceServers: [{ urls: "stun:127.0.0.1:${udpPort}" }] });
  peer.createDataChannel("out");
  await peer.setLocalDescription(await peer.createOffer());
}
</script>`,
    },
    "/nested": { headers: html, body: `<script>fetch("${to("nested")}", { mode: "no-cors" })</script>` },
    "/refresh": { headers: html, body: `<meta http-equiv="refresh" content="0; url=${to("refresh")}">` },
    "/worker.js": { headers: js, body: `fetch("/own"); fetch("${to("worker")}", { mode: "no-cors" });` },
    "/shared.js": { headers: js, body: `fetch("${to("shared")}", { mode: "no-cors" });` },
    "/service.js": { headers: js, body: `fetch("${to("service")}", { mode: "no-cors" });` },
    "/own": { headers: js, body: "" },
    "/leave": { headers: html, body: `<script>location.href = "${to("leave")}"</script>` },
  };
}
