import { canonicalJson, type Json } from "../../src/lib/json.ts";
import { readSkillText } from "../../src/skills/read-skill.ts";

/** A line of `expected.jsonl`: what OpenClaw's own parser says of a file. */
export interface ExpectedSkill {
  path: string;
  expected: {
    /** Whether its front matter can be read; the other fields are there only then. */
    loads: boolean;
    name?: Json;
    description?: Json;
    metadata?: Json;
    invocation?: Json;
  };
}

/** A field of which we say something else. */
export interface Disagreement {
  path: string;
  field: "file" | "loads" | (typeof FIELDS)[number];
  expected: Json;
  got: Json;
}

const FIELDS = ["name", "description", "metadata", "invocation"] as const;

/** The fields of one file of which we do not say what is expected; of a file that cannot be read only that counts. */
export function compareSkill({ path, expected }: ExpectedSkill, bytes: Uint8Array): Disagreement[] {
  const reading = readSkillText(new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes));
  const loads = reading.kind === "read";
  if (loads !== expected.loads) return [{ path, field: "loads", expected: expected.loads, got: loads }];
  if (reading.kind === "broken") return [];
  const { userInvocable, disableModelInvocation } = reading.invocation;
  const got: Record<(typeof FIELDS)[number], Json> = {
    name: reading.name ?? null,
    description: reading.description ?? null,
    metadata: JSON.parse(JSON.stringify(reading.metadata ?? null)),
    invocation: { userInvocable, disableModelInvocation },
  };
  return FIELDS.filter((field) => canonicalJson(got[field]) !== canonicalJson(expected[field] ?? null)).map(
    (field) => ({ path, field, expected: expected[field] ?? null, got: got[field] }),
  );
}
