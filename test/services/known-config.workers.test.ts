import { env } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { ConfigStore } from "../../src/config/store.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { FRESH_MS, KnownConfiguration } from "../../src/services/known-config.ts";

const NOW = 1_000_000;

/** D1 as one isolate reaches it: counts what it is asked, and may be down. */
class Database extends ConfigStore {
  asked = 0;
  documents = 0;
  isDown = false;

  override async newest(known: number) {
    this.asked += 1;
    if (this.isDown) throw new Error("D1 is down.");
    const answer = await super.newest(known);
    if (answer.document !== undefined) this.documents += 1;
    return answer;
  }
}

function isolate() {
  const database = new Database(env.DB);
  return { database, known: new KnownConfiguration(database) };
}

/** Stores a document as another isolate would, whether or not it is valid. */
async function store(document: JsonObject): Promise<number> {
  const elsewhere = new ConfigStore(env.DB);
  const { revision: base } = await elsewhere.newest(0);
  const audit = { id: crypto.randomUUID(), agentId: "main", sessionKey: "", runId: null };
  await elsewhere.write({ base, document, author: "import", note: null, changed: [], now: NOW, audit });
  return base + 1;
}

const named = (productName: string) => ({ prompt: { productName } });
const nameIn = ({ stored }: KnownConfiguration) =>
  stored?.kind === "valid" ? stored.config.prompt.productName : stored?.kind;

beforeEach(async () => {
  await env.DB.exec("delete from config_revisions");
});

test("an isolate asks at most once in five seconds, and gets a document only where it is another one", async () => {
  await store(named("One"));
  const { database, known } = isolate();
  expect(known.stored).toBeUndefined();
  await known.know(NOW);
  expect(nameIn(known)).toBe("One");
  await store(named("Two"));
  await known.know(NOW + FRESH_MS - 1);
  expect([nameIn(known), database.asked]).toEqual(["One", 1]);
  await known.know(NOW + FRESH_MS);
  expect([nameIn(known), database.asked, database.documents]).toEqual(["Two", 2, 2]);
  await known.know(NOW + 2 * FRESH_MS);
  expect([nameIn(known), database.asked, database.documents]).toEqual(["Two", 3, 2]);
});

test("it asks at once where somebody else knows a newer one already", async () => {
  const { database, known } = isolate();
  await known.know(NOW);
  const revision = await store(named("Newer"));
  await known.know(NOW + 1, revision);
  expect([nameIn(known), database.asked]).toEqual(["Newer", 2]);
  await known.know(NOW + 2, revision);
  expect(database.asked).toBe(2);
});

test("where D1 does not answer, what is known stays in force", async () => {
  await store(named("Kept"));
  const { database, known } = isolate();
  await known.know(NOW);
  database.isDown = true;
  await known.know(NOW + FRESH_MS);
  expect([nameIn(known), database.asked]).toEqual(["Kept", 2]);
});

test("an isolate that could not find out anything asks again after a second, and then knows", async () => {
  await store(named("Late"));
  const { database, known } = isolate();
  database.isDown = true;
  await known.know(NOW);
  await known.know(NOW + 999);
  expect([known.stored, database.asked]).toEqual([undefined, 1]);
  database.isDown = false;
  await known.know(NOW + 1000);
  expect(nameIn(known)).toBe("Late");
});

test("who knows nothing does not wait for the question of somebody else, and who knows something asks nothing more", async () => {
  const { database, known } = isolate();
  await Promise.all([known.know(NOW), known.know(NOW)]);
  expect(database.asked).toBe(2);
  await Promise.all([known.know(NOW + FRESH_MS), known.know(NOW + FRESH_MS)]);
  expect(database.asked).toBe(3);
});

test("an answer that comes after something newer was learnt is not believed", async () => {
  await store(named("Old"));
  const { database, known } = isolate();
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const newest = database.newest.bind(database);
  database.newest = async (number) => {
    const old = await newest(number);
    await held;
    return old;
  };
  const late = known.refresh();
  const other = isolate().known;
  const revision = await store(named("New"));
  await other.refresh();
  if (other.stored?.kind === "valid") known.learn(revision, other.stored.config);
  answer();
  await late;
  expect(nameIn(known)).toBe("New");
});

test("a revision that was stored from here does not take the place of a newer one that was heard of", async () => {
  const { known } = isolate();
  const first = await store(named("First"));
  await known.know(NOW);
  const { stored } = known;
  await store(named("Second"));
  await known.refresh();
  if (stored?.kind === "valid") known.learn(first, stored.config);
  expect(nameIn(known)).toBe("Second");
});

test("a newest revision that is not valid leaves the newest valid one in force, and is told with its fields", async () => {
  await store(named("Oldest"));
  const good = await store(named("Good"));
  await store({ prompt: { productName: 7 } });
  const newest = await store({ gone: true });
  const { known } = isolate();
  await known.know(NOW);
  expect(known.stored).toMatchObject({ kind: "valid", newest, revision: good, faults: [{ path: "gone" }] });
  expect(nameIn(known)).toBe("Good");
});

test("where no revision is valid, or one is damaged, nothing is in force, and it is told why", async () => {
  await store({ gone: true });
  const newest = await store({});
  await env.DB.prepare("update config_revisions set document = '{\"agents' where revision = ?").bind(newest).run();
  const { known } = isolate();
  await known.know(NOW);
  expect(known.stored).toMatchObject({ kind: "broken", newest, faults: [{ path: "(document)" }] });
});
