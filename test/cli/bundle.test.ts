import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { bundleWorker, MAIN_MODULE, type WorkerBundle } from "../../src/cli/bundle.ts";
import { startModules } from "../bench/start-modules.ts";

/** The main module exports the classes of all objects. This one loads what it does when it is called. */
const GATEWAY_CLASS = "src/events/discord-gateway.ts";

let bundle: WorkerBundle;
/** The modules that are evaluated when an isolate starts, and the files that they are made of. */
let start: ReturnType<typeof startModules>;

beforeAll(async () => {
  bundle = await bundleWorker("src/index.ts");
  start = startModules(bundle);
});

describe("what is evaluated when an isolate starts", () => {
  test.each([
    ["just-bash", "node_modules/just-bash/"],
    ["a provider of the AI SDK", "node_modules/@ai-sdk/openai/"],
    ["a provider of the AI SDK", "node_modules/@ai-sdk/openai-compatible/"],
    ["a provider of the AI SDK", "node_modules/@ai-sdk/anthropic/"],
    ["what unpacks skills", "node_modules/fflate/"],
    ["what unpacks skills", "node_modules/modern-tar/"],
    ["what reads pages", "node_modules/htmlparser2/"],
    ["what reads pages", "node_modules/@mozilla/readability/"],
    ["what reads pages", "src/extract/"],
    ["what reads PDFs", "node_modules/unpdf/"],
    ["the texts of bundled skills", "src/skills/bundled/"],
    ["the download of skills", "src/skills/install/download.ts"],
    ["the documentation", "src/docs/api.md"],
    ["the documentation", "src/docs/pages.ts"],
    ["the rules of the offline model", "src/models/offline/"],
    ["the import of an OpenClaw configuration", "src/migrate/"],
    ["the doctor", "src/diagnostics/"],
    ["the routes that no message passes", "src/http/app.ts"],
    ["the consumers of queues and the cron tick", "src/events/"],
    ["what drives a browser", "src/browser/isolated-browser.ts"],
    ["what drives a browser", "src/browser/browser-page.ts"],
    ["the client of MCP servers", "node_modules/@modelcontextprotocol/client/"],
    ["the parser of mail", "node_modules/postal-mime/"],
    ["the chat box of websites", "src/http/webchat.ts"],
    ["what mail and webhooks need", "src/channels/email/receive.ts"],
    ["what mail and webhooks need", "src/channels/webhook/send.ts"],
  ])("is not %s (%s)", (_, path) => {
    expect(Object.keys(bundle.metafile.inputs).filter((input) => input.startsWith(path))).not.toEqual([]);
    expect(start.inputs.filter((input) => input.startsWith(path) && input !== GATEWAY_CLASS)).toEqual([]);
  });

  test("is what a message passes", () => {
    expect(start.modules[0]).toBe(MAIN_MODULE);
    expect(start.inputs).toEqual(
      expect.arrayContaining(["src/session/session.ts", "src/http/agent.ts", "src/turn/turn.ts"]),
    );
  });

  test("has zod's messages in English alone", () => {
    const languages = Object.keys(bundle.metafile.inputs).filter((input) =>
      /\/zod\/v4\/locales\/(?!index)/.test(input),
    );
    expect(languages).toEqual([expect.stringMatching(/\/locales\/en\.js$/)]);
  });

  test("fits what the Free plan allows, and leaves room", () => {
    const kib = (paths: readonly string[]) =>
      bundle.modules
        .filter(({ path }) => paths.includes(path))
        .reduce((sum, { text }) => sum + gzipSync(text).length / 1024, 0);
    expect(kib(start.modules)).toBeLessThan(700);
    expect(kib(bundle.modules.map(({ path }) => path))).toBeLessThan(2300);
  });
});

test("every module has a source map that names our files", () => {
  expect(bundle.maps.map(({ path }) => path).sort()).toEqual(bundle.modules.map(({ path }) => path).sort());
  expect(bundle.maps.map(({ text }) => text).join()).toContain("src/session/session.ts");
});
