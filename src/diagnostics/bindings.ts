import type { Check } from "./check.ts";
import type { DiagnosticsContext } from "./diagnostics-context.ts";

/** What the Worker is bound to in wrangler.toml: a binding's name, and what is without it. */
const NEEDED: readonly (readonly [name: keyof Env & string, loss: string])[] = [
  ["FILES", "no agent has files"],
  ["DB", "nothing can be looked up"],
  ["SESSIONS", "nobody can talk to an agent"],
  ["LANES", "caps of runs at once do not hold"],
  ["BUDGETS", "budgets do not hold, and runs that need one end"],
  ["UPKEEP", "old versions of files are never cleared away"],
  ["MEMORY", "no agent can search its memory"],
  ["INDEXING", "memory is indexed only while somebody waits for a search"],
];
const OPTIONAL: readonly (readonly [name: keyof Env & string, without: string])[] = [
  ["VECTORS", "vectors of memory are kept in D1"],
  ["AI", "Workers AI makes no embeddings"],
];

/** Whether everything is bound, and whether R2 answers. */
export async function examineBindings({ env }: DiagnosticsContext): Promise<Check[]> {
  return [
    ...NEEDED.map(([name, loss]): Check => {
      const head = { id: `bindings.${name}`, area: "bindings", path: "wrangler.toml" } as const;
      if (isBound(env, name)) return { ...head, status: "ok", message: `${name} is bound.` };
      const fix = `Take the binding ${name} from Isopod's own wrangler.toml, and deploy.`;
      return { ...head, status: "fail", message: `${name} is not bound: ${loss}.`, fix };
    }),
    ...OPTIONAL.map(([name, without]): Check => {
      const message = isBound(env, name) ? `${name} is bound.` : `${name} is not bound, which is well: ${without}.`;
      return { id: `bindings.${name}`, area: "bindings", path: "wrangler.toml", status: "ok", message };
    }),
    ...(isBound(env, "FILES") ? [await examineBucket(env.FILES)] : []),
  ];
}

async function examineBucket(bucket: R2Bucket): Promise<Check> {
  await bucket.list({ prefix: "agents/", limit: 1 });
  return { id: "bindings.files-answer", area: "bindings", status: "ok", message: "R2 answers." };
}

function isBound(env: Env, name: keyof Env): boolean {
  return env[name] !== undefined && env[name] !== null;
}
