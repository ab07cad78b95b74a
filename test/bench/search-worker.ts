import worker from "../../src/index.ts";
import { countedDatabase, type DatabaseCounts } from "./counted-database.ts";

export * from "../../src/index.ts";

/** The least that a search for words can be: FTS5 alone, with the text of what it finds. */
const BARE = `SELECT chunks.text, chunks.start_line FROM
  (SELECT rowid AS id, rank AS place FROM chunk_terms WHERE chunk_terms MATCH ? ORDER BY rank LIMIT 24) AS best
  CROSS JOIN chunks ON chunks.id = best.id ORDER BY best.place`;
const MATCHES = "SELECT count(*) AS matches FROM chunk_terms WHERE chunk_terms MATCH ?";

function noCounts(): DatabaseCounts {
  return { roundTrips: 0, statements: 0, rowsRead: 0, rowsWritten: 0, matches: [] };
}

const counts = noCounts();
let isCounting = false;
let counted: Env | undefined;

/** The bindings as they are, or, while somebody counts, with a memory that is counted. */
function bindings(env: Env): Env {
  if (!isCounting) return env;
  counted ??= { ...env, MEMORY: countedDatabase(env.MEMORY, counts) };
  return counted;
}

async function measure(path: string, body: { on?: boolean; expression?: string }, { MEMORY }: Env): Promise<unknown> {
  if (path === "/bench/count") {
    const answer = { ...counts };
    Object.assign(counts, noCounts());
    isCounting = body.on ?? false;
    return answer;
  }
  const { results } = await MEMORY.prepare(path === "/bench/matches" ? MATCHES : BARE)
    .bind(body.expression)
    .all();
  return results;
}

/** Isopod, and what its searches are measured against. */
export default {
  ...worker,
  async fetch(request: Request, env: Env, ctx: ExecutionContext) {
    const path = new URL(request.url).pathname;
    if (!path.startsWith("/bench/")) return worker.fetch(request, bindings(env), ctx);
    return Response.json(await measure(path, await request.json(), env));
  },
  queue: (batch: MessageBatch, env: Env, ctx: ExecutionContext) => worker.queue(batch, bindings(env), ctx),
};
