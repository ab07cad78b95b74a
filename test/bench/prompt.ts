import { renderSystemPrompt } from "../../src/prompt/system-prompt.ts";
import { bootstrapFile, EVERYTHING } from "../prompt/inputs.ts";
import { quantile, rounded } from "./statistics.ts";

const CHARS = 60_000;
const SAMPLES = 60;
const PER_SAMPLE = 10;

/** What rendering a system prompt with every section and the most of workspace files takes, in milliseconds of CPU. */
export interface PromptCost {
  /** The very first time, before anything of it is compiled. */
  firstMs: number;
  /** The median later on. */
  ms: number;
  /** Over joining the same texts and reckoning their size, which is the least that could be done. */
  overFloor: number;
}

/** Renders as long as it takes to know what it costs. */
export function measurePrompt(): PromptCost {
  const sentence = "Ada waters the tomatoes at seven. 番茄每天早上七点浇水。\n";
  const text = sentence.repeat(Math.ceil(CHARS / 4 / sentence.length)).slice(0, CHARS / 4);
  const files = ["AGENTS.md", "SOUL.md", "TOOLS.md", "MEMORY.md"].map((path) => bootstrapFile(path, text));
  const input = { ...EVERYTHING, bootstrapFiles: files };
  const firstMs = cpuMs(() => renderSystemPrompt(input), 1);
  const texts = renderSystemPrompt(input).sections.map((section) => section.text);
  const ms = median(() => renderSystemPrompt(input));
  const floorMs = median(() => texts.map((part) => Buffer.byteLength(part)).concat(texts.join("\n\n").length));
  return { firstMs: rounded(firstMs), ms: rounded(ms), overFloor: rounded(ms / floorMs) };
}

function median(work: () => unknown): number {
  const samples = Array.from({ length: SAMPLES }, () => cpuMs(work, PER_SAMPLE) / PER_SAMPLE);
  return quantile(samples, 0.5);
}

function cpuMs(work: () => unknown, times: number): number {
  const before = process.cpuUsage();
  for (let n = 0; n < times; n++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
