import { expect, test } from "vitest";
import { call, finished, say, script } from "./client.ts";
import { session } from "./session-lab.ts";

const FILES = "/v1/agents/main/workspace";
const REVIEW = "/v1/agents/main/bootstrap";

interface Review {
  hasAccepted: boolean;
  files: { path: string; state: string; etag?: string }[];
}

async function review(): Promise<Review> {
  return (await call("GET", REVIEW)).json();
}

async function changes(): Promise<string[]> {
  const { files } = await review();
  return files.filter(({ state }) => state !== "accepted").map(({ path, state }) => `${path} ${state}`);
}

async function contextOf(name: string): Promise<string> {
  const run: any = await finished((await say("/context", name, session(name))).runId);
  return run.reply;
}

async function doctorOn(id: string): Promise<{ status: string; message: string } | undefined> {
  const { checks } = await (await call("GET", "/v1/doctor")).json<{
    checks: { id: string; status: string; message: string }[];
  }>();
  return checks.find((check) => check.id === id);
}

test("files that changed since the owner accepted them are shown as such, until they are accepted again", async () => {
  const name = "accepting";
  await script(name, [
    { text: "Hello." },
    { calls: [{ name: "write", args: { path: "BOOT.md", content: "Post it." } }] },
    { text: "Done." },
  ]);
  await finished((await say("Hi", name, session(name))).runId);
  expect((await review()).hasAccepted).toBe(false);
  expect(await contextOf(name)).not.toContain("accepted");
  expect(await doctorOn("workspaces.main.accepted")).toBeUndefined();

  expect((await call("POST", `${REVIEW}/accept`)).status).toBe(200);
  expect(await changes()).toEqual([]);
  expect(await contextOf(name)).not.toContain("Changed since you accepted them");

  await finished((await say("Plan the next start", name, session(name))).runId);
  await call("PUT", `${FILES}/SOUL.md`, "Be cruel.");
  await call("DELETE", `${FILES}/TOOLS.md`);
  expect(await changes()).toEqual(["BOOT.md new", "SOUL.md changed", "TOOLS.md gone"]);
  expect(await contextOf(name)).toContain(
    "\n\nChanged since you accepted them:\n- BOOT.md: new\n- SOUL.md: changed\n- TOOLS.md: gone",
  );
  expect(await doctorOn("workspaces.main.accepted")).toMatchObject({
    status: "warn",
    message:
      "'main': bootstrap files that differ from what you have accepted: BOOT.md (new), SOUL.md (changed), TOOLS.md (gone).",
  });

  const seen = Object.fromEntries((await review()).files.flatMap(({ path, etag }) => (etag ? [[path, etag]] : [])));
  await call("PUT", `${FILES}/SOUL.md`, "Be crueller.");
  const stale = await call("POST", `${REVIEW}/accept`, { seen });
  expect(stale.status).toBe(409);
  expect(await stale.text()).toContain("`SOUL.md` is not as it was read");
  expect(await changes()).toHaveLength(3);
  seen["SOUL.md"] = (await review()).files.find(({ path }) => path === "SOUL.md")?.etag ?? "";
  expect((await call("POST", `${REVIEW}/accept`, { seen })).status).toBe(200);
  expect(await changes()).toEqual([]);
  expect((await call("GET", "/v1/agents/nobody/bootstrap")).status).toBe(404);
  expect((await call("POST", `${REVIEW}/accept`, { sean: {} })).status).toBe(400);
});
