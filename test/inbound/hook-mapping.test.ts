import { expect, test } from "vitest";
import { mapHookRequest } from "../../src/inbound/hook-mapping.ts";

test("fields of the body, headers and query are filled in; what is missing is nothing", () => {
  const mappings = [
    { match: { path: "ci" }, messageTemplate: "{{headers.X-Event}} {{query.b}} {{a[1].n}} {{no.such}}." },
  ];
  const mapped = mapHookRequest(
    { mappings: mappings as never },
    { path: "/ci/", body: { a: [{}, { n: 0 }] }, headers: { "x-event": "push" }, query: { b: "main" } },
  );
  expect(mapped).toMatchObject({ matched: true, actions: [{ kind: "agent", message: "push main 0 ." }] });
});

test("nothing of a prototype is filled in, and what is filled in is not a template itself", () => {
  const mappings = [{ messageTemplate: "[{{constructor.name}}{{__proto__}}{{headers.constructor}}] {{a}}" }];
  const mapped = mapHookRequest({ mappings: mappings as never }, { path: "x", body: { a: "{{b}}", b: "secret" } });
  expect(mapped).toMatchObject({ actions: [{ message: "[] {{b}}" }] });
});

test("Gmail's preset makes one run of each message, each in a session of its own", () => {
  const body = {
    messages: [
      { id: "1", from: "ada@example.com", subject: "Rent" },
      { id: "2", from: "bob@example.com", subject: "Lunch" },
    ],
  };
  const mapped = mapHookRequest({ presets: ["gmail"] }, { path: "gmail", body });
  expect(mapped).toMatchObject({
    mapping: "gmail",
    actions: [
      { sessionKey: "hook:gmail:1", message: expect.stringContaining("Subject: Rent") },
      { sessionKey: "hook:gmail:2", message: expect.stringContaining("from bob@example.com") },
    ],
  });
});

test("a mapping that comes to no words is refused by its name", () => {
  expect(mapHookRequest({ mappings: [{ id: "gh", action: "wake" }] as never }, { path: "x", body: {} })).toEqual({
    matched: true,
    mapping: "gh",
    refused: "hook mapping requires text",
  });
});
