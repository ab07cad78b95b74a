import { type Contender, scenarioOf } from "./contenders.ts";

/** How many deltas an answer of the sequential and the parallel load has. */
export const DELTAS = 20;
/** With its space; a hundred deltas are 2 KB. */
const DELTA = "The garden is dry, a";

/** Sets what the model answers in a session of each contender, from its next request on, and forgets the requests so far. */
export async function setAnswers(
  modelServer: string,
  contenders: readonly Pick<Contender, "name">[],
  sessions: readonly string[],
  deltas: readonly number[] = [DELTAS],
): Promise<void> {
  const replies = deltas.map((count) => ({ text: DELTA.repeat(count), chunkSize: DELTA.length, steady: true }));
  const body = JSON.stringify({ replies });
  for (const { name } of contenders) {
    for (const session of sessions) {
      const answer = await fetch(`${modelServer}/control/${scenarioOf(name, session)}`, { method: "PUT", body });
      if (!answer.ok) throw new Error(`The model server answered ${answer.status}.`);
    }
  }
}
