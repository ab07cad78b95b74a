import { type GateFacts, gateSkills } from "../../src/skills/gate.ts";
import { skillsPrompt } from "../../src/skills/prompt-list.ts";
import type { Skill } from "../../src/skills/skill.ts";
import { isopodContender } from "./contenders.ts";
import { type CountedTurn, countedTurn, countsOf } from "./count.ts";
import { quantile, rounded } from "./statistics.ts";

/** How many skills there are, in two folders of a workspace. */
export const SKILLS = 300;
const FOLDERS = ["skills", ".agents/skills"];
const PUTS_AT_ONCE = 12;
const WARM_TURNS = 2;
const SAMPLES = 60;
const PER_SAMPLE = 10;

/** Storage operations of turns of an agent with many skills: the first of a session, and a later one. */
export interface SkillCounts {
  first: CountedTurn;
  warm: CountedTurn;
}

/** What deciding which skills may be used, and listing them, takes in each turn. */
export interface GateCost {
  /** Milliseconds of CPU. */
  ms: number;
  /** Over parsing the JSON of the same skills. */
  overParse: number;
}

/** Gives an Isopod whose bindings count so many skills, and has turns. */
export async function countSkills(url: string, token: string): Promise<SkillCounts> {
  const names = Array.from({ length: SKILLS }, (_, n) => `bench-${String(n).padStart(3, "0")}`);
  const rest = names.entries();
  const put = async () => {
    for (const [n, name] of rest) {
      const path = `${FOLDERS[n % FOLDERS.length]}/${name}/SKILL.md`;
      const body = `---\nname: ${name}\ndescription: Waters bed ${n} of the garden when it is dry.\n---\nWater it.\n`;
      const headers = { Authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/v1/agents/main/workspace/${path}`, { method: "PUT", headers, body });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    }
  };
  await Promise.all(Array.from({ length: PUTS_AT_ONCE }, put));
  const isopod = isopodContender(url, token);
  await countsOf(url);
  await isopod.turn("skills");
  const first = await countedTurn(url);
  for (let turn = 1; turn < WARM_TURNS; turn++) {
    await isopod.turn("skills");
    await countedTurn(url);
  }
  await isopod.turn("skills");
  return { first, warm: await countedTurn(url) };
}

/** Gates and lists as long as it takes to know what it costs. */
export function measureGate(): GateCost {
  const skills = Array.from({ length: SKILLS }, (_, n) => skill(n));
  const text = JSON.stringify(skills);
  const limits = { maxSkillsInPrompt: 150, maxSkillsPromptChars: 30_000 };
  const ms = median(() => skillsPrompt(gateSkills(skills, FACTS).eligible, limits));
  return { ms: rounded(ms), overParse: rounded(ms / median(() => JSON.parse(text))) };
}

const FACTS: GateFacts = {
  os: new Set(["linux"]),
  commands: new Set(["curl", "jq"]),
  hasEnv: () => true,
  configAt: () => true,
  entries: {},
  quarantined: new Map(),
};

function skill(n: number): Skill {
  const name = `bench-${String(n).padStart(3, "0")}`;
  return {
    name,
    description: `Waters bed ${n} of the garden when it is dry, and says in the evening how much water that was.`,
    source: "workspace",
    location: `skills/${name}/SKILL.md`,
    baseDir: `/workspace/skills/${name}`,
    version: "sha256:0123456789abcdef",
    etag: "0123456789abcdef0123456789abcdef",
    size: 2000,
    metadata: { requires: { bins: ["curl", "jq"], anyBins: [], env: ["GARDEN_TOKEN"], config: [] } },
    invocation: { userInvocable: true, disableModelInvocation: false },
  };
}

function median(work: () => unknown): number {
  return quantile(
    Array.from({ length: SAMPLES }, () => cpuMs(work) / PER_SAMPLE),
    0.5,
  );
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  for (let n = 0; n < PER_SAMPLE; n++) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
