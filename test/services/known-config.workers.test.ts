import { env } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { ConfigStore, type KnownNewest } from "../../src/config/store.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { FRESH_MS, KnownConfiguration, USABLE_MS } from "../../src/services/known-config.ts";

const NOW = 1_000_000;

/** D1 as one isolate reaches it: counts what it is asked, and may be down. */
class Database extends ConfigStore {
  asked = 0;
  documents = 0;
  isDown = false;

  override async newest(known: KnownNewest) {
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
  const { revision: base } = await elsewhere.newest({ revision: 0 });
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

test("an isolate reads the configuration at most once in five seconds, and loads the document only when its revision is new", async () => {
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

test("an isolate that is told of a newer revision reads the configuration at once", async () => {
  const { database, known } = isolate();
  await known.know(NOW);
  const revision = await store(named("Newer"));
  await known.know(NOW + 1, { atLeast: revision });
  expect([nameIn(known), database.asked]).toEqual(["Newer", 2]);
  await known.know(NOW + 2, { atLeast: revision });
  expect(database.asked).toBe(2);
});

test("the known configuration stays in force while D1 does not answer", async () => {
  await store(named("Kept"));
  const { database, known } = isolate();
  await known.know(NOW);
  database.isDown = true;
  await known.know(NOW + FRESH_MS);
  expect([nameIn(known), database.asked]).toEqual(["Kept", 2]);
});

test("an isolate whose first read of the configuration failed reads again after a second", async () => {
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

test("an object without a configuration does not wait for the read of another object, and one with a configuration reads nothing", async () => {
  const { database, known } = isolate();
  await Promise.all([known.know(NOW), known.know(NOW)]);
  expect(database.asked).toBe(2);
  await Promise.all([known.know(NOW + FRESH_MS), known.know(NOW + FRESH_MS)]);
  expect(database.asked).toBe(3);
});

test("a configuration of more than a minute is not used because somebody else is asking for the newest one", async () => {
  const { database, known } = isolate();
  await known.know(NOW);
  const later = NOW + USABLE_MS;
  const background: Promise<unknown>[] = [];
  const waitUntil = (promise: Promise<unknown>) => void background.push(promise);
  await known.know(later, { waitUntil, usableMs: Number.POSITIVE_INFINITY });
  await known.know(later, { waitUntil });
  expect([database.asked, background.length]).toEqual([3, 1]);
  await Promise.all(background);
});

test("a read of the configuration that returns an older revision than is known is ignored", async () => {
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

test("a revision that this isolate stored does not replace a newer one that it was told of", async () => {
  const { known } = isolate();
  const first = await store(named("First"));
  await known.know(NOW);
  const { stored } = known;
  await store(named("Second"));
  await known.refresh();
  if (stored?.kind === "valid") known.learn(first, stored.config);
  expect(nameIn(known)).toBe("Second");
});

test("an invalid newest revision leaves the newest valid one in force, and its fields are logged", async () => {
  await store(named("Oldest"));
  const good = await store(named("Good"));
  await store({ prompt: { productName: 7 } });
  const newest = await store({ gone: true });
  const { known } = isolate();
  await known.know(NOW);
  expect(known.stored).toMatchObject({ kind: "valid", newest, revision: good, faults: [{ path: "gone" }] });
  expect(nameIn(known)).toBe("Good");
});

test("without a valid revision, or with a damaged one, no configuration is in force, and the reason is logged", async () => {
  await store({ gone: true });
  const newest = await store({});
  await env.DB.prepare("update config_revisions set document = '{\"agents' where revision = ?").bind(newest).run();
  const { known } = isolate();
  await known.know(NOW);
  expect(known.stored).toMatchObject({ kind: "broken", newest, faults: [{ path: "(document)" }] });
});
