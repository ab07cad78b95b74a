import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withoutWrapping } from "../../src/security/external-content.ts";
import { createSafeFetch } from "../../src/security/safe-fetch.ts";
import { webFetchTool } from "../../src/tools/web-fetch.ts";
import { quantile } from "../bench/statistics.ts";
import { expectedPage, meanScores, type PageScore, scorePage } from "./page-score.ts";

// Reads pages with the tool web_fetch and compares what it gives with what is known of them. Each folder has
// headers.json, expected.json, and the body as page.html or page.bin. Only the network is a stand-in.

const USAGE = "npm run eval:pages -- <folder> [--json] [--dump <file>]";

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean", default: false }, dump: { type: "string" } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined || !existsSync(folder)) {
  console.error(`Name the folder with the pages: ${USAGE}`);
  process.exit(1);
}

const names = (await readdir(folder)).filter((name) => existsSync(join(folder, name, "expected.json"))).sort();
const scores: PageScore[] = [];
const times: number[] = [];
const lines: string[] = [];
for (const name of names) {
  const expected = expectedPage.parse(await readJson(name, "expected.json"));
  const body = await readFile(
    join(folder, name, existsSync(join(folder, name, "page.bin")) ? "page.bin" : "page.html"),
  );
  const headers = (await readJson(name, "headers.json")) as Record<string, string>;
  const before = process.cpuUsage();
  const page = await readPage(expected.url, () => new Response(body, { headers }));
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  scores.push(scorePage(page.text, expected));
  times.push(ms);
  lines.push(JSON.stringify({ id: expected.id, ...page, ms }));
}
if (values.dump !== undefined) await writeFile(values.dump, `${lines.join("\n")}\n`);
const report = {
  ...meanScores(scores),
  medianMs: rounded(quantile(times, 0.5)),
  p95Ms: rounded(quantile(times, 0.95)),
};
console.log(values.json ? JSON.stringify(report) : report);

/** What the tool shows of a page, without the fence; nothing for a page that it cannot read. */
async function readPage(url: string, answer: () => Response): Promise<{ text: string; title?: string }> {
  const tool = webFetchTool({
    // Pages that are kept for tests have made-up hosts.
    egress: createSafeFetch({ fetch: async () => answer(), allowPrivate: [hostAndPort(url)] }),
    pages: { find: () => undefined, keep: () => undefined },
    readDocument: undefined,
    keepImage: undefined,
    ...{ maxChars: 10_000_000, maxRedirects: 3, timeoutMs: 30_000, userAgent: "Isopod" },
    outside: { onInjection: "log", newFenceId: () => "0123456789abcdef", suspect: () => undefined },
  });
  const call = { callId: "call", approved: false, signal: new AbortController().signal, now: Date.now, update() {} };
  try {
    const { text } = await tool.run(tool.parameters.parse({ url }), call);
    const [, title] = /^Title: (.*)$/m.exec(text.slice(0, text.indexOf("\n---\n"))) ?? [];
    return { text: withoutWrapping(text), ...(title !== undefined && { title }) };
  } catch (error) {
    console.error(`${url}: ${error instanceof Error ? error.message : error}`);
    return { text: "" };
  }
}

function hostAndPort(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

async function readJson(page: string, file: string): Promise<unknown> {
  return JSON.parse(await readFile(join(folder ?? "", page, file), "utf8"));
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
