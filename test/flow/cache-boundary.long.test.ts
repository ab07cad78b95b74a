import { expect, test } from "vitest";
import { SUMMARY_SYSTEM } from "../../src/agent/summary-prompt.ts";
import { asked, finished, say, script, waitFor } from "./client.ts";
import { keepShort, summariesOf, words } from "./context-lab.ts";
import { armWithDump, evict, session } from "./session-lab.ts";

const TURNS = 50;
const NAME = "medium-60";

/** What was sent in a request besides what was said: the system prompt, and the tools. */
function fixedParts({ body }: { body: any }): string[] {
  return [body.messages[0].content, JSON.stringify(body.tools)];
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** One turn with a tool; another message joins it where `isSteered`. */
async function turn(n: number, isSteered: boolean): Promise<{ body: any }[]> {
  const more = isSteered ? { delayMs: 150 } : {};
  const answer = { text: `Answer ${n}: ${words(400)}` };
  // Where a summary is made first, it takes the first reply.
  await script(NAME, [{ text: "Dumping.", calls: [{ name: "dump", args: { n } }], ...more }, answer, answer]);
  const { runId } = await say(`Question ${n}`, NAME, session(NAME));
  if (isSteered) {
    await waitFor(async () => (await asked(NAME)).length > 0);
    await say(`And ${n}`, NAME, session(NAME));
  }
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  return asked(NAME);
}

test(`above the cache boundary a prompt keeps its bytes over ${TURNS} turns with tools, steering, deaths and summaries`, async () => {
  await keepShort(NAME);
  const requests: { body: any }[] = [];
  for (let n = 0; n < TURNS; n++) {
    if (n % 20 === 0) {
      await evict(NAME);
      await keepShort(NAME);
      await armWithDump(NAME, () => words(700));
    }
    requests.push(...(await turn(n, n % 10 === 3)));
  }
  const answers = requests.filter(({ body }) => body.messages[0].content !== SUMMARY_SYSTEM);
  expect(answers.length).toBeGreaterThan(2 * TURNS - 5);
  expect((await summariesOf(NAME)).length).toBeGreaterThan(1);

  const [system = "", tools = ""] = fixedParts(answers[0]!);
  const boundary = system.indexOf("## Runtime");
  const stable = new Set(answers.map((request) => fixedParts(request)[0]!.slice(0, boundary)));
  expect(boundary).toBeGreaterThan(2000);
  expect([...stable]).toEqual([system.slice(0, boundary)]);
  expect(new Set(answers.map((request) => fixedParts(request)[1]))).toEqual(new Set([tools]));
  console.log(
    `${answers.length} requests, ${boundary} characters above the boundary: ${await sha256([...stable].join())}`,
  );
}, 120_000);
