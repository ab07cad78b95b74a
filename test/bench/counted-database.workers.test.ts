import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { countedDatabase, type DatabaseCounts } from "./counted-database.ts";

const counts: DatabaseCounts = { roundTrips: 0, statements: 0, rowsRead: 0, rowsWritten: 0, matches: [] };
const database = countedDatabase(env.MEMORY, counts);

describe("a database that is counted", () => {
  test("answers as the other does, and knows what that has cost", async () => {
    const insert = database.prepare("INSERT INTO meta (agent_id) VALUES (?)");
    await database.batch(["ada", "bob", "eve"].map((agent) => insert.bind(agent)));
    expect(counts).toMatchObject({ roundTrips: 1, statements: 3 });
    expect(counts.rowsWritten).toBeGreaterThanOrEqual(6);
    const { rowsRead, rowsWritten } = counts;
    expect(await database.prepare("SELECT agent_id FROM meta WHERE agent_id > ?").bind("b").raw()).toEqual([
      ["bob"],
      ["eve"],
    ]);
    expect(await database.prepare("SELECT count(*) AS count FROM meta").first("count")).toBe(3);
    expect(counts).toMatchObject({ roundTrips: 3, statements: 5, rowsRead: rowsRead + 5, rowsWritten });
  });

  test("remembers what FTS5 was asked for", async () => {
    const rows = "SELECT rowid FROM chunk_terms WHERE";
    await database.prepare(`${rows} rowid > ? AND chunk_terms MATCH ? LIMIT ?`).bind(0, '"1acat"', 5).all();
    const newest = `${rows} chunk_terms MATCH ?2 ORDER BY rowid DESC LIMIT 1 OFFSET 2000`;
    await database.prepare(`${rows} chunk_terms MATCH ?2 AND rowid >= (${newest}) LIMIT ?1`).bind(5, '"1adog"').all();
    expect(counts.matches).toEqual([
      { expression: '"1acat"', newest: undefined },
      { expression: '"1adog"', newest: 2000 },
    ]);
  });
});
