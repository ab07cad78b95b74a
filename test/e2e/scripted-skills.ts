import type { SkillChange, SkillLine, SkillReport } from "../../src/client/wire.ts";

/** What was asked of the skills' routes or the configuration. */
export interface Asked {
  method: string;
  /** With its query. */
  path: string;
  type: string;
  bytes: Buffer;
}

const WEATHER = `---
name: weather
description: "Weather of any place."
---

# Weather

Run \`weather.sh\`. <script>window.bad = 1</script> <img src="https://elsewhere.example/pixel">
`;

/** What tells files that were looked at from what they may be later. */
export const SEEN = "1ab";

/** The skills of an agent as the server has them, changed by what the page asks. */
export class ScriptedSkills {
  readonly asked: Asked[] = [];
  skills: SkillLine[] = [
    line({ name: "broken", reason: "It has no description.", code: "no_description", eligible: false, tokens: 0 }),
    line({ name: "invoices", code: "quarantined", eligible: false, reason: "SKILL.md is not what was installed." }),
    line({ name: "weather", source: "bundled", emoji: "🌤️", description: "Weather of any place.", command: "weather" }),
  ];

  /** The answer to a request; undefined where it is about something else. */
  answer(asked: Asked): { status: number; body: unknown } | undefined {
    const { method, path } = asked;
    if (!/^\/v1\/(?:agents\/main\/skills|config)(?:[/?]|$)/.test(path)) return undefined;
    this.asked.push(asked);
    if (path === "/v1/config") return this.#configure(JSON.parse(asked.bytes.toString("utf8")));
    const [, , , , , name, act] = path.split("?")[0]!.split("/");
    if (name === undefined) return method === "GET" ? { status: 200, body: this.#report() } : this.#install(asked);
    if (act === "verify") return { status: 200, body: { name, ok: false, seen: SEEN, files: FILES } };
    if (act === "accept") return this.#become(name, { eligible: true, code: undefined, reason: undefined });
    if (act !== undefined) return { status: 200, body: change(name, "current") };
    if (method === "DELETE") {
      this.skills = this.skills.filter((one) => one.name !== name);
      return { status: 200, body: change(name, "removed") };
    }
    const one = this.skills.find((skill) => skill.name === name);
    return { status: 200, body: { ...one, files: [], moreFiles: 0, seen: SEEN, text: WEATHER } };
  }

  #report(): SkillReport {
    const eligible = this.skills.filter((one) => one.eligible).length;
    const totals = { found: this.skills.length, eligible, shown: eligible, cut: 0, tokens: 1200, chars: 4800 };
    const limits = { maxSkillsInPrompt: 50, maxSkillsPromptChars: 20_000 };
    return { agent: "main", skills: this.skills, totals, limits, unset: [], warnings: [] };
  }

  #install({ type, bytes }: Asked) {
    const { slug } = type === "application/json" ? JSON.parse(bytes.toString("utf8")) : { slug: "notes" };
    if (slug === "evil") {
      const error = {
        code: "forbidden",
        message: "It is not installed: the registry calls it malicious.",
        hint: "Leave it.",
      };
      return { status: 403, body: { error } };
    }
    this.skills = [...this.skills, line({ name: slug, description: "Installed just now." })];
    return { status: 201, body: change(slug, "installed", ["2 files were left out."]) };
  }

  #configure(patch: { skills: { entries: Record<string, { enabled: boolean }> } }) {
    for (const [name, { enabled }] of Object.entries(patch.skills.entries)) {
      const why = { eligible: false, code: "disabled", reason: "It is switched off." };
      this.#become(name, enabled ? { eligible: true, code: undefined, reason: undefined } : why);
    }
    return { status: 200, body: {} };
  }

  #become(name: string, more: { [Key in keyof SkillLine]?: SkillLine[Key] | undefined }) {
    this.skills = this.skills.map((one) => (one.name === name ? ({ ...one, ...more } as SkillLine) : one));
    return { status: 200, body: change(name, "accepted") };
  }
}

function change(name: string, outcome: SkillChange["outcome"], notes: string[] = []) {
  return { name, outcome, notes, signature: { kind: "unsigned" } };
}

const FILES = [
  { path: "SKILL.md", status: "changed" },
  { path: "scripts/sum.sh", status: "ok" },
];

function line(more: Partial<SkillLine> & { name: string }): SkillLine {
  const { name } = more;
  const location = more.source === "bundled" ? `skills://bundled/${name}/SKILL.md` : `skills/${name}/SKILL.md`;
  const said = { key: name, version: "sha256:0123456789abcdef", env: [{ name: "KEY", set: false }] };
  return { source: "workspace", location, eligible: true, shown: true, tokens: 90, ...said, ...more };
}
