import { beforeEach, describe, expect, test } from "vitest";
import { BUNDLED_SKILLS } from "../../src/skills/bundled-skills.ts";
import { at, heard, serve } from "../security/outside-lab.ts";
import { withoutStacks } from "../shell/without-stacks.ts";
import { asked, env, finished, historyOf, say, script, waitFor } from "./client.ts";
import { deleteOutside, putOutside } from "./outside.ts";
import { configure, session } from "./session-lab.ts";

const ROOT = "agents/main/workspace/";
const TOKEN = "github_pat_0123456789abcdefXYZ";
const json = (body: unknown) => ({ headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

withoutStacks();

beforeEach(async () => {
  for (const { key } of (await env.FILES.list({ prefix: ROOT })).objects) await deleteOutside(key);
});

describe("a model that reads a bundled skill and does what it says", () => {
  test("tells the weather", async () => {
    const forecast =
      "timezone=auto&forecast_days=3&current=temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,weather_code,wind_speed_10m&daily=weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,precipitation_probability_max,wind_speed_10m_max,sunrise,sunset";
    const american = `${forecast.replace("days=3", "days=5")}&temperature_unit=fahrenheit&wind_speed_unit=mph&precipitation_unit=inch`;
    const paris = { name: "Paris", latitude: 48.85, longitude: 2.35, country: "France", country_code: "FR" };
    const texas = { ...paris, latitude: 33.66, longitude: -95.55, country: "United States", admin1: "Texas" };
    await serve("weather", {
      "v1/search?name=Berlin&count=20&language=en&format=json": json({
        results: [{ name: "Berlin", latitude: 52.52, longitude: 13.41, country: "Germany" }],
      }),
      "v1/search?name=Paris&count=20&language=en&format=json": json({ results: [paris, texas] }),
      [`v1/forecast?latitude=52.52&longitude=13.41&${forecast}`]: json(FORECAST),
      [`v1/forecast?latitude=33.66&longitude=-95.55&${american}`]: json(FORECAST),
      "Berlin?format=%l:+%C+%t+%w+%p": { body: "Berlin: Light rain +11°C ↗12km/h 0.4mm\n" },
    });
    const variables = { WEATHER_API: at("weather"), WEATHER_GEOCODING_API: at("weather"), WTTR_API: at("weather") };
    const [text, berlin, there, short] = await tryOut("weather", noSlash(variables));
    expect(text).toContain('bash /skills/bundled/weather/scripts/weather.sh "Berlin"');
    expect(berlin).toContain(
      "Berlin, Germany (Europe/Berlin)\nnow 2026-05-01T12:00: overcast, 17.2°C, feels like 16°C",
    );
    expect(berlin).toContain("2026-05-02: thunderstorm, 10 to 20°C, precipitation 0 mm (chance unknown)");
    expect(there).toContain("Paris, Texas, United States");
    expect(short).toContain("Berlin: Light rain +11°C");
  });

  test("reads and writes on GitHub with a token that nobody sees", async () => {
    await configure(
      "bundled-github",
      (config) => ({
        ...config,
        skills: {
          entries: { github: { apiKey: { source: "env", id: "GITHUB_PAT" }, hosts: [new URL(at("github")).host] } },
        },
      }),
      { GITHUB_PAT: TOKEN },
    );
    await serve("github", GITHUB);
    const texts = await tryOut("github", noSlash({ GITHUB_API: at("github") }));
    const [, read, releases, comment, opened] = texts;
    expect(read).toContain("#7 Crash  [mona, 2026-05-01, bug]\nopen, https://github.com/octocat/hello-world/issues/7");
    expect(read).toContain('--- hubot, 2026-05-02T10:00\nSame "here".');
    expect(read).toContain("open, fix into main, +1 -2 in 1 files, mergeable: clean");
    expect(read).toContain("--- hubot at a.c:3\nWhy?");
    expect(read).toContain("diff --git a/a.c b/a.c");
    expect(read).toContain("failure  test\nsuccess  lint\nfailed: job 5, test: 2 failed");
    expect(read).toContain("# Hello");
    expect(read).toContain("1 found\nhttps://github.com/octocat/hello-world/issues/7  Crash  [open, 2026-05-01]");
    expect(releases).toContain("v1.0  2026-01-01  One");
    expect(comment).toContain("Written: https://github.com/octocat/hello-world/issues/7#c1");
    expect(opened).toContain("Opened #9: https://github.com/octocat/hello-world/issues/9");
    const requests = await heard("github");
    expect(requests.length).toBeGreaterThan(12);
    expect(requests.filter(({ headers }) => headers.authorization !== `Bearer ${TOKEN}`)).toEqual([]);
    expect(requests.flatMap(({ body }) => (body === "" ? [] : [JSON.parse(body)]))).toEqual([
      { body: "Fixed in #8." },
      { title: "Crash on an empty file", body: expect.stringMatching(/^Steps: .*\nExpected: .*a crash\.$/) },
    ]);
    const known = JSON.stringify([texts, await asked("bundled-github"), await historyOf(keyOf("github"))]);
    expect(known).toContain("Written: ");
    expect(known).not.toContain(TOKEN);
  });

  test("finds the text in a page and in subtitles, part by part", async () => {
    await serve("summarize", { article: { headers: { "Content-Type": "text/html" }, body: PAGE } });
    const cues = Array.from({ length: 1200 }, (_, n) => {
      const time = `00:${String(Math.floor(n / 12)).padStart(2, "0")}:${String((n % 12) * 5).padStart(2, "0")}.000`;
      return `${time} --> ${time}\n<v Ann>第 ${n} 句，说得很清楚。\n`;
    });
    await putOutside(`${ROOT}inbox/talk.vtt`, `WEBVTT\n\n${cues.join("\n")}`);
    const [text, page, talk] = await tryOut("summarize", {});
    expect(text).toContain("Read **all** parts before you summarize.");
    expect(page).toContain("[part 1 of 1, 47 characters, title: Tea & more]");
    expect(page).toContain("# Tea\n\nGreen tea is <good>.\n\n- one\n- two\n\n中文也行。");
    expect(page).not.toMatch(/menu|tracker|imprint/);
    expect(talk).toMatch(/^\[part 2 of 2, \d+ characters\]/);
    expect(talk).toMatch(/\[99:00\] 第 1188 句，说得很清楚。 .*第 1199 句，说得很清楚。/);
  });

  test("shows what is new in feeds, once", async () => {
    await serve("feeds", { "feed.xml": { body: FEED } });
    await putOutside(
      `${ROOT}feeds/list.txt`,
      `# mine\n${at("feeds", "feed.xml")} Example\n${at("feeds", "gone")} Gone\n`,
    );
    const [, latest, first, second] = await tryOut("feeds", {}, ["bash /skills/bundled/feeds/scripts/new.sh"]);
    expect(latest).toContain(
      "2026-05-01\tOne & two\thttps://e.example/1?a=1&b=2\n2026-04-02\tIt's 三\thttps://e.example/2",
    );
    expect(first).toContain("== Example\n2026-05-01  One & two  https://e.example/1?a=1&b=2");
    expect(first).toContain("Gone: curl: (22) The requested URL returned error: 404");
    expect(second).toContain("Nothing new.");
    expect(await textOf("feeds/seen.txt")).toContain("https://e.example/2\n");
  });

  test("keeps the day's note, shows the latest days, and finds what is wrong with MEMORY.md", async () => {
    await putOutside(`${ROOT}memory/2026-01-02.md`, "# 2026-01-02\n\n- 09:00 Older.");
    await putOutside(
      `${ROOT}MEMORY.md`,
      "# Memory\n\n- Likes green tea\n- likes  green tea\n- The password is hunter2\n",
    );
    const [, noted, recent, checked] = await tryOut("memory-keeper", {});
    const said = /(memory\/\d{4}-\d\d-\d\d\.md): - \d\d:\d\d Decided: the launch moves to 3 June/.exec(noted!);
    expect(noted).toContain(`Wrote: ${said![1]}`);
    expect(await textOf(said![1]!)).toMatch(/^# \d{4}-\d\d-\d\d\n\n- \d\d:\d\d Decided: .*May\.\n$/);
    expect(recent).toMatch(/=== memory\/2026-01-02\.md\n[\s\S]*Older\.\n\n?=== memory\//);
    expect(checked).toContain("4: the same as line 3\n5: looks like a secret; say where it is kept instead");
    expect(checked).not.toContain("hunter2");
  });

  test("makes a skill that its own check passes and the next turn lists", async () => {
    const mend = `sed -i 's/^1\\. First step.*/1. Read the notes./' skills/meeting-notes/SKILL.md`;
    const again = "bash /skills/bundled/skill-creator/scripts/check.sh skills/meeting-notes";
    const [text, made, checked, mended] = await tryOut("skill-creator", {}, [`${mend}\n${again}`]);
    expect(text).toContain("bash /skills/bundled/skill-creator/scripts/new.sh");
    expect(made).toContain("Wrote: skills/meeting-notes/SKILL.md");
    expect(checked).toContain("✗ The text is still the one that new.sh wrote.");
    expect(mended).toContain("✓ meeting-notes can be used");
    // The files are looked at again a moment after the turn.
    await waitFor(async () => {
      await script("bundled-skill-creator", [{ text: "ok" }]);
      await finished((await say("again", "bundled-skill-creator", { sessionKey: keyOf("skill-creator") })).runId);
      return (await systemOf("bundled-skill-creator")).includes("<name>meeting-notes</name>");
    });
    expect(await systemOf("bundled-skill-creator")).toContain("minutes, meeting notes, 会议纪要.");
  });
});

test.each(BUNDLED_SKILLS.map(({ name }) => name))("%s passes the check for skills", async (name) => {
  const command = `bash /skills/bundled/skill-creator/scripts/check.sh /skills/bundled/${name}`;
  const [, printed] = await run(`check-${name}`, [{ name: "exec", args: { command } }]);
  expect(printed).toMatch(/^✓ [\w-]+ can be used: \d+ lines, a description of \d+ characters\.$/);
});

test("the model that works by rules answers as before", async () => {
  const { runId } = await say("Hello", "unused", { ...session("bundled-offline"), model: "offline/rules" });
  expect(await finished(runId)).toMatchObject({ status: "ok" });
});

/** Has the model read a skill, then run every command of its text as it stands, and more; gives what each call showed. */
async function tryOut(name: string, env: Record<string, string>, more: string[] = []): Promise<string[]> {
  const skill = BUNDLED_SKILLS.find((one) => one.name === name)!;
  const outside = at(name).replace(/\/$/, "");
  const commands = [...skill.files["SKILL.md"]!.matchAll(/^```bash\n([\s\S]*?)^```/gm)].map(([, code = ""]) =>
    code.trim().replaceAll("{baseDir}", `/skills/bundled/${name}`).replaceAll("https://example.com", outside),
  );
  expect(commands.length).toBeGreaterThan(0);
  const [, text, ...printed] = await run(name, [
    { name: "read", args: { path: `skills://bundled/${name}/SKILL.md` } },
    ...[...commands, ...more].map((command) => ({ name: "exec", args: { command, env } })),
  ]);
  for (const command of commands) expect(text).toContain(command.replaceAll(outside, "https://example.com"));
  return [text!, ...printed];
}

/** One call after another in a session of its own; gives the reply first, then what each call showed. */
async function run(name: string, calls: { name: string; args: object }[]): Promise<string[]> {
  const scenario = `bundled-${name}`;
  await script(scenario, [...calls.map((one) => ({ calls: [one] })), { text: "done" }]);
  const { runId } = await say("Do it.", scenario, { sessionKey: keyOf(name) });
  await waitFor(async () => (await finished(runId)).status !== "running");
  const { messages } = await historyOf(keyOf(name));
  return ["done", ...messages.flatMap((message: any) => (message.role === "tool" ? [message.text] : []))];
}

async function systemOf(scenario: string): Promise<string> {
  return JSON.stringify((await asked(scenario)).at(-1)?.body.messages[0]);
}

function keyOf(name: string): string {
  return session(`bundled-${name}`).sessionKey;
}

async function textOf(path: string): Promise<string | undefined> {
  return (await env.FILES.get(`${ROOT}${path}`))?.text();
}

function noSlash(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, value.replace(/\/$/, "")]));
}

const FORECAST = {
  timezone: "Europe/Berlin",
  current: {
    ...{ time: "2026-05-01T12:00", temperature_2m: 17.2, apparent_temperature: 16, relative_humidity_2m: 60 },
    ...{ precipitation: 0, weather_code: 3, wind_speed_10m: 12 },
  },
  daily_units: { temperature_2m_max: "°C", precipitation_sum: "mm", wind_speed_10m_max: "km/h" },
  daily: {
    time: ["2026-05-01", "2026-05-02"],
    weather_code: [61, 95],
    temperature_2m_max: [18, 20],
    temperature_2m_min: [9, 10],
    precipitation_sum: [2.4, 0],
    precipitation_probability_max: [70, null],
    wind_speed_10m_max: [20, 11],
    sunrise: ["2026-05-01T06:30", "2026-05-02T06:28"],
    sunset: ["2026-05-01T21:05", "2026-05-02T21:07"],
  },
};

const ISSUE = {
  ...{ number: 7, title: "Crash", user: { login: "mona" }, state: "open", labels: [{ name: "bug" }] },
  ...{
    updated_at: "2026-05-01T10:00:00Z",
    body: "It crashes.",
    html_url: "https://github.com/octocat/hello-world/issues/7",
  },
};
const SAID = { user: { login: "hubot" }, created_at: "2026-05-02T10:00:00Z", body: 'Same "here".' };
const HERE = "repos/octocat/hello-world";
const GITHUB = {
  [`${HERE}/issues?state=open&per_page=50`]: json([ISSUE, { ...ISSUE, number: 8, pull_request: {} }]),
  [`${HERE}/issues/7`]: json(ISSUE),
  [`${HERE}/issues/7/comments?per_page=100`]: json([SAID]),
  [`${HERE}/issues/8/comments?per_page=100`]: json([]),
  [`${HERE}/pulls?state=open&per_page=50`]: json([{ ...ISSUE, number: 8, draft: true }]),
  // What it is asked for, as JSON or as a diff, is in a header that the stand-in does not look at.
  [`${HERE}/pulls/8`]: json({
    ...{ ...ISSUE, number: 8, head: { ref: "fix" }, base: { ref: "main" }, additions: 1, deletions: 2 },
    ...{ changed_files: 1, mergeable_state: "clean", body: "diff --git a/a.c b/a.c" },
  }),
  [`${HERE}/pulls/8/comments?per_page=100`]: json([{ ...SAID, path: "a.c", line: 3, body: "Why?" }]),
  [`${HERE}/commits/main/check-runs?per_page=100`]: json({
    check_runs: [
      { id: 5, name: "test", conclusion: "failure", output: { title: "2 failed" }, html_url: "https://github.com/5" },
      { id: 6, name: "lint", conclusion: "success", output: {}, html_url: "https://github.com/6" },
    ],
  }),
  [`${HERE}/contents/README.md`]: { body: "# Hello\n" },
  "search/issues?per_page=30&q=repo%3Aoctocat%2Fhello-world%20is%3Aopen%20label%3Abug%20crash": json({
    total_count: 1,
    items: [ISSUE],
  }),
  [`${HERE}/releases?per_page=3`]: json([{ tag_name: "v1.0", published_at: "2026-01-01T00:00:00Z", name: "One" }]),
  [`${HERE}/issues/7/comments`]: {
    status: 201,
    ...json({ html_url: "https://github.com/octocat/hello-world/issues/7#c1" }),
  },
  [`${HERE}/issues`]: {
    status: 201,
    ...json({ number: 9, html_url: "https://github.com/octocat/hello-world/issues/9" }),
  },
};

const PAGE = `<!doctype html><html><head><title>Tea &amp; more</title><script>var tracker = "<p>";</script></head>
<body><nav><a href="/">menu</a></nav><main><h1>Tea</h1><p>Green
tea is &lt;good&gt;.</p><ul><li>one</li><li>two</li></ul><p>中文也行。</p></main><footer>imprint</footer></body></html>`;

const FEED = `<?xml version="1.0"?><rss version="2.0"><channel><title>E</title><link>https://e.example</link>
<item><title><![CDATA[One & <b>two</b>]]></title><link>https://e.example/1?a=1&amp;b=2</link><pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate></item>
<item><title>It&#39;s &lt;i&gt;三&lt;/i&gt;</title><guid>https://e.example/2</guid><pubDate>2 Apr 2026 10:00:00 GMT</pubDate></item>
</channel></rss>`;
