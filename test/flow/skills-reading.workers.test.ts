import { describe, expect, test } from "vitest";
import { asked, finished, say, script } from "./client.ts";
import { deleteOutside, putOutside } from "./outside.ts";
import { session } from "./session-lab.ts";
import { prepare, putSkill, skillText, turn } from "./skills-lab.ts";

const PIXEL = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="),
  (character) => character.charCodeAt(0),
);

/** Lets the model call tools one by one, and gives what each of them said. */
async function results(name: string, calls: { name: string; args: unknown }[], skills: object = {}): Promise<string[]> {
  await script(name, [...calls.map((call) => ({ calls: [call] })), { text: "done" }]);
  await prepare(name, { skills: { load: { watch: false }, ...skills } });
  const { runId } = await say("hello", name, session(name));
  expect(await finished(runId)).toMatchObject({ status: "ok" });
  const requests = await asked(name);
  return requests.slice(1).map(({ body }) => {
    const { content } = body.messages.findLast(({ role }: { role: string }) => role === "tool");
    return typeof content === "string" ? content : JSON.stringify(content);
  });
}

describe("reading files of skills", () => {
  test("a skill's files are read by skills:// and by their path in the shell, with {baseDir} replaced", async () => {
    const name = "reading-managed";
    const text = skillText("kettle", "Boils water.", "Run {baseDir}/boil.sh, see {baseDir}.");
    await putOutside("skills/managed/kettle/SKILL.md", text);
    await putOutside("skills/managed/kettle/boil.sh", "echo boiling\n");
    await putOutside("skills/managed/kettle/kettle.png", PIXEL);
    const [skill, script, image, listed, found, missing] = await results(name, [
      { name: "read", args: { path: "skills://managed/kettle/SKILL.md" } },
      { name: "read", args: { path: "/skills/managed/kettle/boil.sh" } },
      { name: "read", args: { path: "skills://managed/kettle/kettle.png" } },
      { name: "ls", args: { path: "skills://managed/kettle" } },
      { name: "grep", args: { pattern: "boil", path: "/skills/managed/kettle" } },
      { name: "read", args: { path: "skills://managed/kettle/none.md" } },
    ]);
    expect(skill).toContain("Run /skills/managed/kettle/boil.sh, see /skills/managed/kettle.");
    expect(script).toContain("echo boiling");
    expect(image).toContain("is an image (image/png");
    expect(listed?.split("\n")).toHaveLength(3);
    expect(listed).toContain("skill: kettle");
    expect(found).toContain("skills://managed/kettle/boil.sh:1: echo boiling");
    expect(missing).toContain("There is nothing at skills://managed/kettle/none.md.");
  });

  test("a workspace skill is read with {baseDir} replaced, and the result says so for edits", async () => {
    const name = "reading-workspace";
    await putSkill("teapot", "Pours tea.", "Run {baseDir}/pour.sh.");
    const [skill, beside] = await results(name, [
      { name: "read", args: { path: "skills/teapot/SKILL.md" } },
      { name: "read", args: { path: "skills/teapot/../teapot/SKILL.md" } },
    ]);
    expect(skill).toContain("Run /workspace/skills/teapot/pour.sh.");
    expect(skill).toContain("[The file has {baseDir} where this shows /workspace/skills/teapot.]");
    expect(beside).not.toContain("Run /workspace");
  });

  test("a file of an unusable skill is refused with the reason", async () => {
    const name = "reading-refused";
    await putOutside("skills/managed/urn/SKILL.md", skillText("urn", "Keeps tea warm."));
    await putOutside("skills/managed/urn/notes.md", "Secret recipe.");
    const off = { entries: { urn: { enabled: false } } };
    const [skill, file, listed, found] = await results(
      name,
      [
        { name: "read", args: { path: "skills://managed/urn/SKILL.md" } },
        { name: "read", args: { path: "/skills/managed/urn/notes.md" } },
        { name: "ls", args: { path: "skills://managed/urn" } },
        { name: "grep", args: { pattern: "Secret", path: "skills://" } },
      ],
      off,
    );
    for (const text of [skill, file, listed]) expect(text).toContain("urn may not be used: It is switched off");
    expect(found).not.toContain("Secret recipe.");
  });

  test("a file of a quarantined skill is refused", async () => {
    const name = "reading-quarantined";
    await putOutside("skills/managed/samovar/SKILL.md", skillText("samovar", "Boils water."));
    await putOutside("skills/locks/_managed.json", "no lock at all");
    await script(name, [
      { calls: [{ name: "read", args: { path: "skills://managed/samovar/SKILL.md" } }] },
      { text: "1" },
    ]);
    await prepare(name, { skills: { load: { watch: false } } });
    expect(await turn(name)).not.toContain("samovar");
    const said = String((await asked(name)).at(-1)?.body.messages.at(-1).content);
    expect(said).toContain("samovar may not be used: The record of installed skills cannot be read");
    await deleteOutside("skills/locks/_managed.json");
  });
});
