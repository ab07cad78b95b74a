import { expect, test } from "vitest";
import { asked, call, env, finished, historyOf, say, script } from "./client.ts";
import { putOutside } from "./outside.ts";
import { session } from "./session-lab.ts";

const ROOT = "agents/main/workspace/";

test("an agent finds, searches, patches and deletes files, and people get back what it deleted", async () => {
  const { sessionKey } = session("workspace-tools");
  await putOutside(`${ROOT}notes/trip.md`, "# Trip\n\nPack light.\nTrain at nine.\n");
  const patch = [
    "*** Begin Patch",
    "*** Update File: notes/trip.md",
    "-Train at nine.",
    "+Train at ten.",
    "*** Delete File: BOOTSTRAP.md",
    "*** End Patch",
  ].join("\n");
  await script("workspace-tools", [
    {
      calls: [
        { name: "find", args: { pattern: "trip*" } },
        { name: "grep", args: { pattern: "train at", ignoreCase: true, path: "notes" } },
        { name: "apply_patch", args: { input: patch } },
      ],
    },
    { text: "ok" },
  ]);
  expect(await finished((await say("x", "workspace-tools", { sessionKey })).runId)).toMatchObject({ status: "ok" });
  const { messages } = await historyOf(sessionKey);
  expect(messages.flatMap((message: any) => (message.role === "tool" ? [message.text] : []))).toEqual([
    "notes/trip.md  35",
    "notes/trip.md:4: Train at nine.",
    "Done:\nM notes/trip.md\nD BOOTSTRAP.md",
  ]);
  expect(await (await env.FILES.get(`${ROOT}notes/trip.md`))?.text()).toContain("Train at ten.");
  const gone = await call("GET", "/v1/agents/main/versions?deleted=true");
  const { files } = await gone.json<{ files: { path: string; newest: { versionId: string } }[] }>();
  expect(files.map(({ path }) => path)).toEqual(["BOOTSTRAP.md"]);
  const { versionId } = files[0]!.newest;
  const back = await call("POST", "/v1/agents/main/versions/BOOTSTRAP.md", { versionId }, { "If-None-Match": "*" });
  expect(back.status).toBe(200);
  expect((await env.FILES.head(`${ROOT}BOOTSTRAP.md`))?.size).toBeGreaterThan(100);
});

test("what a model is told of all tools stays within 18,000 characters", async () => {
  await script("tools-size", [{ text: "ok" }]);
  await finished((await say("x", "tools-size", session("tools-size"))).runId);
  const { body } = (await asked("tools-size")).at(-1)!;
  const names = body.tools.map((tool: any) => tool.function.name);
  expect(names.slice(0, 7)).toEqual(["read", "write", "edit", "apply_patch", "grep", "find", "ls"]);
  expect(JSON.stringify(body.tools).length).toBeLessThan(18_000);
});
