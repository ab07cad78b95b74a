import type { Check } from "./check.ts";
import type { DiagnosticsBindings, DiagnosticsContext } from "./diagnostics-context.ts";

/** The required bindings of wrangler.toml, each with what does not work without it. */
const NEEDED: readonly (readonly [name: keyof DiagnosticsBindings, loss: string])[] = [
  ["FILES", "no agent has files"],
  ["DB", "nothing can be looked up"],
  ["SESSIONS", "no agent can be reached"],
  ["LANES", "limits on concurrent runs are not enforced"],
  ["BUDGETS", "budgets are not enforced, and runs that need one fail"],
  ["DISCORD_GATEWAYS", "ordinary messages of Discord do not arrive"],
  ["SCHEDULE", "heartbeats and jobs never run"],
  ["UPKEEP", "old versions of files are never deleted"],
  ["MEMORY", "no agent can search its memory"],
  ["INDEXING", "memory is indexed only during a search"],
];
const OPTIONAL: readonly (readonly [name: keyof DiagnosticsBindings, without: string])[] = [
  ["VECTORS", "memory vectors are stored in D1"],
  ["AI", "Workers AI makes no embeddings, transcripts, speech or pictures"],
];

/** Checks that all bindings are there, and that R2 answers. */
export async function examineBindings({ bindings }: DiagnosticsContext): Promise<Check[]> {
  return [
    ...NEEDED.map(([name, loss]): Check => {
      const head = { id: `bindings.${name}`, area: "bindings", path: "wrangler.toml" } as const;
      if (isBound(bindings, name)) return { ...head, status: "ok", message: `${name} is bound.` };
      const fix = `Take the binding ${name} from Isopod's own wrangler.toml, and deploy.`;
      return { ...head, status: "fail", message: `${name} is not bound: ${loss}.`, fix };
    }),
    ...OPTIONAL.map(([name, without]): Check => {
      const message = isBound(bindings, name)
        ? `${name} is bound.`
        : `${name} is not bound, which is fine: ${without}.`;
      return { id: `bindings.${name}`, area: "bindings", path: "wrangler.toml", status: "ok", message };
    }),
    ...(isBound(bindings, "FILES") ? [await examineBucket(bindings.FILES)] : []),
  ];
}

async function examineBucket(bucket: R2Bucket): Promise<Check> {
  await bucket.list({ prefix: "agents/", limit: 1 });
  return { id: "bindings.files-answer", area: "bindings", status: "ok", message: "R2 answers." };
}

function isBound(bindings: DiagnosticsBindings, name: keyof DiagnosticsBindings): boolean {
  return bindings[name] !== undefined && bindings[name] !== null;
}
