import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { dumpFormat, type FormatDump, formatCases, judgeFormat } from "./channel-format.ts";
import { dumpPayload, type JudgedPayload, judgePayload, type PayloadDump } from "./channel-payloads.ts";
import { CHANNELS_UNDER_EVAL } from "./channels/index.ts";

/** What failed, and how many passed of how many, in all and by platform. */
export interface Count {
  total: number;
  passed: number;
  by: Record<string, [passed: number, total: number]>;
  failed: Verdict[];
}

interface Verdict {
  platform: string;
  name: string;
  /** Empty where it passed. */
  why: string;
}

/** Sends the payloads, and writes the texts, of a folder with `payloads/` and `format/` through the channels. */
export async function evaluateChannels(folder: string): Promise<{
  report: { payloads: Count & { unsure: number }; format: Count };
  dumps: (PayloadDump | FormatDump)[];
}> {
  const names = (await readdir(join(folder, "payloads"))).filter((name) => name.endsWith(".jsonl"));
  const payloads = (await Promise.all(names.map((name) => payloadsOf(join(folder, "payloads", name))))).flat();
  const dumps: PayloadDump[] = [];
  for (const payload of payloads) dumps.push(await dumpPayload(payload));
  const scored = payloads.filter(({ unsure }) => !unsure);
  const judged = scored.map((payload) => ({
    ...{ platform: payload.platform, name: payload.name },
    why: judgePayload(payload, dumps),
  }));

  const { cases, platforms } = await formatCases(folder);
  const written: FormatDump[] = [];
  const formats: Verdict[] = [];
  for (const [platform, limit] of Object.entries(platforms)) {
    const under = CHANNELS_UNDER_EVAL.find((one) => one.platform === platform);
    for (const text of cases) {
      const dump = under && (await dumpFormat(text, under));
      if (dump !== undefined) written.push(dump);
      const why = dump === undefined ? "no channel has this platform" : judgeFormat(text, dump, limit);
      formats.push({ platform, name: text.name, why });
    }
  }
  return {
    report: {
      payloads: { ...counted(judged), unsure: payloads.length - scored.length },
      format: counted(formats),
    },
    dumps: [...dumps, ...written],
  };
}

function counted(verdicts: readonly Verdict[]): Count {
  const by: Count["by"] = {};
  for (const { platform, why } of verdicts) {
    const [passed, total] = by[platform] ?? [0, 0];
    by[platform] = [passed + (why === "" ? 1 : 0), total + 1];
  }
  const failed = verdicts.filter(({ why }) => why !== "");
  return { total: verdicts.length, passed: verdicts.length - failed.length, by, failed };
}

async function payloadsOf(path: string): Promise<JudgedPayload[]> {
  const text = await readFile(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
}
