import { expect, test } from "vitest";
import { chooseRoute, type KnownRoutes } from "../../src/schedule/heartbeat-target.ts";

const known = (more: Partial<KnownRoutes>): KnownRoutes => ({
  last: undefined,
  owners: [],
  channels: ["wecom"],
  kindOf: () => "direct",
  hasOwnIds: () => true,
  ...more,
});

test("an alert goes to the owner in the account that the owner is of, and to nobody of the same id elsewhere", () => {
  const owners = ["wecom:alice", "wecom:acme/bob"];
  expect(chooseRoute({}, known({ owners }))).toMatchObject({ channel: "wecom", to: "alice", accountId: "default" });
  expect(chooseRoute({ accountId: "acme" }, known({ owners }))).toMatchObject({ to: "bob", accountId: "acme" });
  expect(chooseRoute({ accountId: "acme" }, known({ owners: ["wecom:alice"] }))).toMatchObject({ channel: "none" });
});

test("a conversation of another account is not the last one, where ids are those of an account", () => {
  const last = { channel: "wecom", to: "alice", accountId: "default" };
  for (const target of ["last", "wecom"]) {
    expect(chooseRoute({ target, accountId: "acme" }, known({ last }))).toMatchObject({ channel: "none" });
    expect(chooseRoute({ target, accountId: "default" }, known({ last }))).toMatchObject({ to: "alice" });
  }
});
