import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { formatMessages } from "../../src/channels/markup/markup.ts";
import { PLATFORMS } from "../channels/markup/platforms.ts";
import { type FormattedPart, formatDump } from "./channel-format.ts";

const FOLDER = resolve(process.env.ISOPOD_FIXTURES ?? "../shared/fixtures", "channels");

/** The part of a request that a platform's limits are about. */
const BODIES: Readonly<Record<string, (text: string) => unknown>> = {
  discord: (content) => ({ content, allowed_mentions: { parse: [] } }),
  feishu: (content) => {
    const card = { schema: "2.0", body: { elements: [{ tag: "markdown", content }] } };
    return { receive_id: `oc_${"0".repeat(32)}`, msg_type: "interactive", content: JSON.stringify(card) };
  },
};

const formatters = Object.fromEntries(
  Object.entries(PLATFORMS).map(([platform, markup]) => {
    const body = BODIES[platform] ?? ((text) => ({ text }));
    const format = (markdown: string): FormattedPart[] =>
      formatMessages(markdown, markup).map((text) => ({ text, body: body(text) }));
    return [platform, format];
  }),
);

test.skipIf(!existsSync(FOLDER))("every recorded text is formatted for every platform as it was recorded", async () => {
  const dump = await formatDump(FOLDER, formatters);
  const place = await mkdtemp(join(tmpdir(), "channel-format-"));
  try {
    const file = join(place, "dump.jsonl");
    await writeFile(file, dump.map((line) => JSON.stringify(line)).join("\n"));
    const judge = join(FOLDER, "score-channels.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [judge, FOLDER, file, "--json"], {
      maxBuffer: 16 * 1024 * 1024,
    });
    const { format } = JSON.parse(stdout);
    expect(format.failed).toEqual([]);
    expect(format.total).toBe(dump.length);
    expect(format.total).toBeGreaterThan(100);
  } finally {
    await rm(place, { recursive: true });
  }
});
