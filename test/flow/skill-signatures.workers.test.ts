import { expect, test } from "vitest";
import { call } from "./client.ts";

async function patch(change: object): Promise<void> {
  const answer = await call("PATCH", "/v1/config", change, { "If-Match": "*" });
  if (answer.status !== 200) throw new Error(await answer.text());
}

async function listed(): Promise<{ prompt: string; skills: any[] }> {
  const prompt = await (await call("GET", "/v1/agents/signed/prompt")).text();
  const { skills } = await (await call("GET", "/v1/agents/signed/skills")).json<any>();
  return { prompt, skills };
}

test("with requireSignature no skill that somebody just wrote is in the next prompt, and the reason is told", async () => {
  const { document } = await (await call("GET", "/v1/config")).json<any>();
  await patch({ agents: { list: [...document.agents.list, { id: "signed" }] } });
  for (const root of ["skills", ".agents/skills"]) {
    const text = "---\nname: helper\ndescription: Helps with HELPING.\n---\nHelp.";
    const put = await call("PUT", `/v1/agents/signed/workspace/${root}/helper/SKILL.md`, text);
    expect(put.status, await put.text()).toBeLessThan(300);
  }
  expect((await listed()).prompt).toContain("HELPING");
  await patch({ skills: { install: { requireSignature: true } } });
  const { prompt, skills } = await listed();
  expect(prompt).not.toContain("HELPING");
  expect(JSON.stringify(skills)).toContain("no signature of a trusted key");
  await patch({ skills: null });
});
