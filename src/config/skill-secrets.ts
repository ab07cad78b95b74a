import type { z } from "zod";
import { fieldPath } from "./field-path.ts";
import { isReservedName } from "./reserved-names.ts";
import type { CoreConfig } from "./schema.ts";
import { secretRef, variableName } from "./secret-ref.ts";

type Path = readonly (string | number)[];

/**
 * Refuses entries of skills that would hand out what the Worker itself works with: its own variables, the keys of models, and every
 * secret that another part of the configuration names. What a skill is given, whoever writes its commands can send anywhere.
 */
export function refuseOwnSecrets(config: CoreConfig, context: z.RefinementCtx): void {
  const { skills, ...rest } = config;
  const named = new Map(
    referencesIn({ ...rest, skills: { ...skills, entries: {} } }, []).map(({ id, path }) => [id, path]),
  );
  for (const { id, path } of referencesIn(skills.entries, ["skills", "entries"])) {
    const elsewhere = named.get(id);
    if (!isReservedName(id) && elsewhere === undefined) continue;
    const use = elsewhere === undefined ? "the Worker's own" : `what ${fieldPath(elsewhere)} is for`;
    const other = variableName(path);
    const message = `${id} is ${use}, and no skill is given it; store one for the skill under another name, \`wrangler secret put ${other}\`, and name that`;
    context.addIssue({ code: "custom", path: [...path], message });
  }
}

function referencesIn(value: unknown, path: Path): { id: string; path: Path }[] {
  if (typeof value !== "object" || value === null) return [];
  const reference = secretRef.safeParse(value);
  if (reference.success) return [{ id: reference.data.id, path }];
  const parts: (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return parts.flatMap(([name, inner]) => referencesIn(inner, [...path, name]));
}
