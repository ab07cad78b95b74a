import { env } from "cloudflare:test";
import {
  agentInstallTarget,
  type InstallTarget,
  managedInstallTarget,
} from "../../../src/skills/install/install-target.ts";
import type { PackageRules } from "../../../src/skills/install/skill-package.ts";
import { createR2Workspace } from "../../../src/workspace/r2.ts";
import { bytesOf, skillText, zipOf } from "./archives.ts";

export const RULES: PackageRules = { trustedKeys: [], requireSignature: false, maxSkillFileBytes: 256_000 };

/** A place to install to, in the real R2, with a clock of its own. */
export function placeOf(agentId: string, bucket: R2Bucket = env.FILES) {
  const clock = { now: Date.parse("2026-11-22T00:00:00Z") };
  let ids = 0;
  const store = {
    bucket,
    now: () => clock.now,
    newVersionId: () => `id-${agentId}-${clock.now}-${String(++ids).padStart(4, "0")}-${crypto.randomUUID()}`,
    wait: async () => undefined,
  };
  const workspace = createR2Workspace({ ...store, agentId });
  const place: InstallTarget = agentInstallTarget(store, { id: agentId, workspace: undefined }, workspace);
  return { place, managed: managedInstallTarget(store), workspace, clock };
}

/** A request to install a zip with these files beside its SKILL.md. */
export function zipRequest(name: string, files: Record<string, string> = {}, more: object = {}) {
  const archive = zipOf({ "SKILL.md": skillText(name), ...files });
  return { archive, source: { kind: "upload" as const }, replace: false, ...more };
}

/** What R2 has below a prefix, as text. */
export async function textsBelow(prefix: string): Promise<Record<string, string>> {
  const { objects } = await env.FILES.list({ prefix });
  const texts: Record<string, string> = {};
  for (const { key } of objects) texts[key.slice(prefix.length)] = (await (await env.FILES.get(key))?.text()) ?? "";
  return texts;
}

/** Thrown where a bucket dies. */
export class Died extends Error {}

/**
 * A bucket that dies with its n-th operation, and with each after that: before it took effect, or right after.
 * Counts, so that a first run tells how many there are.
 */
export function dyingBucket(at: number, when: "before" | "after"): { bucket: R2Bucket; count(): number } {
  let count = 0;
  const bucket = new Proxy(env.FILES, {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name, target);
      if (typeof verb !== "function") return verb;
      return async (...args: unknown[]) => {
        count++;
        // A TypeError is what the calls of R2 are not made again after.
        if (count > at || (count === at && when === "before")) throw new TypeError("died");
        const result: unknown = await Reflect.apply(verb, target, args);
        if (count >= at) throw new TypeError("died");
        return result;
      };
    },
  });
  return { bucket, count: () => count };
}

export { bytesOf };
