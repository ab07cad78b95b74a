import { eq, lt, sql } from "drizzle-orm";
import type { PromptMode } from "../prompt/input.ts";
import type { PromptReport, SectionReport } from "../prompt/report.ts";
import { prompts, runs } from "./schema.ts";
import { prepared, type Store, slot } from "./store.ts";
import type { Outline } from "./stored-shapes.ts";

/** A text that a model was sent: a layer of a system prompt, or the JSON of a tool list. */
export type PromptRow = typeof prompts.$inferSelect;

const statements = prepared((store) => ({
  byHash: store
    .select()
    .from(prompts)
    .where(eq(prompts.hash, slot(prompts.hash)))
    .prepare(),
}));

/** A stored text; undefined where it was deleted. */
export function findPrompt(store: Store, hash: string): PromptRow | undefined {
  return statements(store).byHash.get({ hash });
}

/** Stores new texts, within the fence. */
export function insertPrompts(store: Store, rows: readonly (PromptRow & { outline: object })[]): void {
  for (const row of rows) store.insert(prompts).values(row).onConflictDoNothing().run();
}

/**
 * Deletes the texts that were first sent before an instant and that no run refers to, within the fence.
 * @param inUse hashes of the current request
 * @returns the ids of those that were spilled
 */
export function dropPrompts(store: Store, before: number, inUse: ReadonlySet<string>): string[] {
  const { hash, spill, createdAt } = prompts;
  const old = store.select({ hash, spill }).from(prompts).where(lt(createdAt, before)).all();
  if (old.length === 0) return [];
  const named = namedByRuns(store);
  const expired = old.filter((row) => !named.has(row.hash) && !inUse.has(row.hash));
  for (const row of expired) store.delete(prompts).where(eq(hash, row.hash)).run();
  return expired.flatMap((row) => row.spill ?? []);
}

/** The hashes that any run refers to. */
function namedByRuns(store: Store): Set<string> {
  const ref = sql`json_each(CASE WHEN json_valid(${runs.state}) THEN ${runs.state} ELSE '{}' END, '$.prompts')`;
  const rows = store.all<[string, string, string]>(
    sql`SELECT DISTINCT value ->> '$.stable', value ->> '$.dynamic', value ->> '$.tools' FROM ${runs}, ${ref}
      WHERE type = 'object'`,
  );
  return new Set(rows.flatMap((row) => Object.values(row)));
}

/** The outline of a layer. */
export function promptOutline(report: PromptReport, layer: SectionReport["layer"], mode: PromptMode): Outline {
  const sections = report.sections.filter((section) => section.layer === layer);
  return {
    mode,
    sections: sections.map(({ name, source, chars }) => ({ name, source, chars })),
    files: layer === "above" ? report.files : [],
  };
}

/** Splits a layer into its sections. */
export function sectionsIn(text: string, { sections }: Pick<Outline, "sections">) {
  let at = 0;
  return sections.map(({ name, source, chars }) => {
    const section = { name, source, text: text.slice(at, at + chars) };
    at += chars + "\n\n".length;
    return section;
  });
}
