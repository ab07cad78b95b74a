import { expect, test } from "vitest";
import {
  euObjectNameOf,
  isInEu,
  newObjectName,
  newRunId,
  objectNameOf,
  objectNameOfRun,
} from "../../src/config/session-ids.ts";
import { addressIn, KnownPlaces, openObject } from "../../src/services/session-places.ts";

const KEY = "agent:main:telegram:direct:1";

test("the name of an object says whether it is in the European Union, and so does the id of a run in it", async () => {
  for (let at = 0; at < 500; at++) {
    const key = `${KEY}${at}`;
    expect(isInEu(await objectNameOf(key))).toBe(false);
    expect(isInEu(await euObjectNameOf(key))).toBe(true);
    expect(isInEu(await newObjectName(key, false, 1))).toBe(false);
    const name = await newObjectName(key, true, 1);
    expect(isInEu(objectNameOfRun(newRunId(name, 1))!)).toBe(true);
    expect(name).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/);
  }
  expect(await newObjectName(KEY, false, 1)).not.toBe(await newObjectName(KEY, false, 1));
});

test("an object is created where it is wanted, and in the jurisdiction of its name", async () => {
  const opened: unknown[] = [];
  const namespace = (jurisdiction: string | undefined): any => ({
    getByName: (...given: unknown[]) => opened.push([jurisdiction, ...given]),
    jurisdiction: (name: string) => namespace(name),
  });
  const env = { SESSIONS: namespace(undefined) };
  const [name, inEu] = [await objectNameOf(KEY), await euObjectNameOf(KEY)];
  openObject(env, addressIn(name, "caller"));
  openObject(env, addressIn(name, "apac-ne"));
  openObject(env, addressIn(inEu, "eu"));
  openObject({ ...env, ISOPOD_HOST: "workerd" }, addressIn(inEu, "eu"));
  expect(opened).toEqual([
    [undefined, name, undefined],
    [undefined, name, { locationHint: "apac-ne" }],
    ["eu", inEu, undefined],
    [undefined, inEu, undefined],
  ]);
});

test("a session is known by all of its objects, and never followed in a circle", () => {
  const places = new KnownPlaces();
  places.learn("a", "b");
  places.learn("b", "c");
  expect(places.newest("a")).toBe("c");
  expect(places.newest("x")).toBe("x");
  places.learn("x", "x");
  expect(places.has("x")).toBe(true);
  expect(places.newest("x")).toBe("x");
  places.learn("c", "a");
  expect(["a", "b", "c"]).toContain(places.newest("a"));
  for (let at = 0; at < 20_000; at++) places.learn(`old${at}`, `new${at}`);
  expect(places.newest("old19999")).toBe("new19999");
  expect(places.newest("old0")).toBe("old0");
});
