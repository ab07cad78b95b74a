import { expect, test } from "vitest";
import { mcp } from "../../src/config/mcp-schema.ts";

const url = "https://mcp.tracker.example/mcp";

/** What is wrong with a server. */
function faultsOf(server: object): string[] {
  const { error } = mcp.safeParse({ servers: { tracker: { url, ...server } } });
  return error?.issues.map(({ path, message }) => `${path.slice(2).join(".")}: ${message}`) ?? [];
}

test("a sign-in takes the place of the header, and a client's secret belongs to its id and is a name", () => {
  expect(faultsOf({ oauth: true })).toEqual([]);
  const clientSecret = { source: "env", id: "TRACKER_SECRET" };
  expect(faultsOf({ oauth: { clientId: "isopod", clientSecret, scopes: ["issues:read"] } })).toEqual([]);
  expect(faultsOf({ oauth: { clientSecret } })).toEqual([
    "oauth.clientSecret: it belongs to a clientId: name that too",
  ]);
  const headers = { authorization: { source: "env", id: "TRACKER_AUTH" } };
  expect(faultsOf({ oauth: true, headers })).toEqual([
    "headers.authorization: the sign-in by `oauth` sets this header: leave one of them out",
  ]);
  expect(faultsOf({ headers })).toEqual([]);
  expect(faultsOf({ oauth: { clientId: "isopod", clientSecret: "hunter2" } })).not.toEqual([]);
  expect(faultsOf({ oauth: { scopes: ["two words"] } })).not.toEqual([]);
});
