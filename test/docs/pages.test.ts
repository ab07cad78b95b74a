import JSON5 from "json5";
import { describe, expect, test } from "vitest";
import contributing from "../../.github/CONTRIBUTING.md?raw";
import securityPolicy from "../../.github/SECURITY.md?raw";
import agents from "../../AGENTS.md?raw";
import packageJson from "../../package.json?raw";
import readme from "../../README.md?raw";
import { COMMANDS } from "../../src/commands/index.ts";
import { headingsOf } from "../../src/docs/headings.ts";
import { type DocsPage, findPage, PAGES } from "../../src/docs/pages.ts";
import chineseReadme from "../../src/docs/zh/readme.md?raw";
import { createApp } from "../../src/http/app.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";
import wranglerToml from "../../wrangler.toml?raw";
import { configFields, referencePages } from "./reference-page.ts";

const files = Object.keys(import.meta.glob("../../src/docs/**/*.md", { query: "?raw" }));
/** Every file of the repository that texts may name, by its path from the root. */
const repositoryFiles = [
  ...Object.keys(
    import.meta.glob(["../../src/**/*", "../../test/**/*", "../../migrations/**/*", "../../{LICENSE,wrangler.toml}"], {
      query: "?raw",
    }),
  ).map((path) => new URL(path, "file:///test/docs/").pathname.slice(1)),
  "README.md",
  "AGENTS.md",
  ".github/CONTRIBUTING.md",
  ".github/SECURITY.md",
];
/** Texts for readers of the repository, which do not travel inside the Worker. */
const PAPERS: Readonly<Record<string, string>> = {
  "README.md": readme,
  "AGENTS.md": agents,
  ".github/CONTRIBUTING.md": contributing,
  ".github/SECURITY.md": securityPolicy,
  "src/docs/zh/readme.md": chineseReadme,
};
/** Pages that a program writes. */
const GENERATED = new Set(["configuration-reference", "configuration-connections"]);
const fields = configFields();
const routes = createApp().routes.filter(({ path }) => path !== "/*" && path !== "/v1/*");

/** Inline code, and the lines of code blocks. */
function codeIn({ text }: DocsPage): string[] {
  const blocks = [...text.matchAll(/^ *```\w*\n([\s\S]*?)^ *```/gm)].map(([, code = ""]) => code);
  const rest = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
  return [
    ...blocks.flatMap((code) => code.split("\n")),
    ...[...rest.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code),
  ];
}

/** Files that pages show how to write. */
const EXAMPLES = new Set(["src/plugins/quiet-hours.ts"]);

/** The targets of a text's links, without those to other sites. */
function linksIn(text: string): string[] {
  const links = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/\]\(([^)\s]+)\)/g);
  return [...links].flatMap(([, href = ""]) => (/^https?:/.test(href) ? [] : [href]));
}

/** The faults of all pages, each with its page. */
function faults(find: (page: DocsPage) => string[]): string[] {
  return PAGES.flatMap((page) => find(page).map((fault) => `${page.name}: ${fault}`));
}

describe("every page", () => {
  test("is in the list of pages and in the index", () => {
    const names = files.map((path) => path.replace("../../src/docs/", "").replace(/\.md$/, ""));
    // The Chinese README is for readers of the repository.
    names.splice(names.indexOf("zh/readme"), 1);
    expect(PAGES.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    const index = findPage("index")!.text;
    for (const { name } of PAGES.filter((page) => page.name !== "index" && !page.name.startsWith("zh/"))) {
      expect(index).toContain(`](${name}.md)`);
    }
    for (const { name } of PAGES.filter((page) => /^zh\/(?!index)/.test(page.name))) {
      expect(findPage("zh")!.text).toContain(`](${name.slice("zh/".length)}.md)`);
    }
  });

  test("stands in the list of an index once", () => {
    for (const name of ["index", "zh"]) {
      const rows = findPage(name)!
        .text.split("\n")
        .filter((line) => /^(- |\| )\[/.test(line));
      expect(rows.length).toBeGreaterThan(20);
      expect(rows.filter((row, index) => rows.indexOf(row) !== index)).toEqual([]);
    }
  });

  test("begins with its title and a sentence about its content", () => {
    for (const { name, title, about, text } of PAGES) {
      expect([name, text.startsWith(`# ${title}\n\n`), about.length > 10 && about.length < 300]).toEqual([
        name,
        true,
        true,
      ]);
    }
  });

  test("is short enough, alone and together with the others that are written by hand", () => {
    const size = (pages: readonly DocsPage[]) =>
      pages.reduce((sum, { text }) => sum + new TextEncoder().encode(text).length, 0);
    expect(Math.max(...PAGES.map((page) => size([page])))).toBeLessThan(50 * 1024);
    expect(size(PAGES.filter(({ name }) => !GENERATED.has(name)))).toBeLessThan(330_000);
  });

  test("links to pages and headings that exist", () => {
    const broken = faults(({ name, text }) =>
      linksIn(text).flatMap((href) => {
        const { pathname, hash } = new URL(href, `docs://pages/${name}.md`);
        const page = PAGES.find((one) => `/${one.name}.md` === pathname);
        const slugs = page === undefined ? [] : headingsOf(page.text).map(({ slug }) => `#${slug}`);
        const found = page !== undefined && (hash === "" || slugs.includes(decodeURIComponent(hash)));
        return found ? [] : [href];
      }),
    );
    expect(broken).toEqual([]);
  });
});

describe("README, AGENTS.md and the other texts of the repository", () => {
  test("are short: README has at most 150 lines, AGENTS.md 140", () => {
    expect(readme.split("\n").length - 1).toBeLessThanOrEqual(150);
    expect(agents.split("\n").length - 1).toBeLessThanOrEqual(140);
  });

  test("link to files and headings that exist", () => {
    const broken = Object.entries(PAPERS).flatMap(([path, text]) =>
      linksIn(text).flatMap((href) => {
        const { pathname, hash } = new URL(href, `file:///${path}`);
        const page = PAGES.find((one) => `/src/docs/${one.name}.md` === pathname);
        const slugs = page === undefined ? [] : headingsOf(page.text).map(({ slug }) => `#${slug}`);
        const found = repositoryFiles.includes(pathname.slice(1));
        return found && (hash === "" || slugs.includes(decodeURIComponent(hash))) ? [] : [`${path}: ${href}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  test("README has the commands that CI and newcomers run, in both languages", () => {
    for (const text of [readme, chineseReadme]) {
      expect(text).toContain("npm ci && npm start");
      expect(text).toContain("npm ci && npm test");
    }
  });
});

describe("what exists is named", () => {
  test("every folder of src/, with its row, in AGENTS.md", () => {
    const folders = repositoryFiles.flatMap((path) => /^src\/([\w-]+)\//.exec(path)?.[1] ?? []);
    const rows = agents.split("\n").filter((line) => /^\| (?:\d|–)/.test(line));
    expect([...new Set(folders)].filter((folder) => !rows.some((row) => row.includes(`\`${folder}\``)))).toEqual([]);
  });

  test("every resource of wrangler.toml, where the pages say how to create them", () => {
    const names = [...wranglerToml.matchAll(/^(?:queue|bucket_name|database_name|index_name) = "([\w-]+)"/gm)];
    expect(new Set(names.map(([line]) => line)).size).toBe(8);
    for (const page of ["deploy", "zh/getting-started"]) {
      const { text } = findPage(page)!;
      for (const [line, name = ""] of names) {
        const kind = { q: "queues", b: "r2 bucket", d: "d1", i: "vectorize" }[line[0]!];
        expect([page, name, text.includes(`wrangler ${kind} create ${name}`)]).toEqual([page, name, true]);
      }
    }
  });

  test("every table, in Architecture", () => {
    const schemas = import.meta.glob<string>("../../src/{db,session-store}/*schema.ts", {
      query: "?raw",
      import: "default",
      eager: true,
    });
    const tables = Object.values(schemas).flatMap((text) => [...text.matchAll(/sqliteTable\(\s*"(\w+)"/g)]);
    expect(tables.length).toBeGreaterThan(30);
    const { text } = findPage("architecture")!;
    expect(tables.flatMap(([, name]) => (text.includes(`\`${name}\``) ? [] : [name]))).toEqual([]);
  });

  test("every route below /v1, in HTTP API", () => {
    const shape = (path: string) => path.replaceAll(/:\w+(?:\{[^}]*\})?/g, ":");
    const { text } = findPage("api")!;
    const named = new Set([...text.matchAll(/\/v1\/[\w/:-]+/g)].map(([path]) => shape(path)));
    const missing = routes.flatMap(({ path }) => (/^\/v1\/[^*]+$/.test(path) && !named.has(shape(path)) ? [path] : []));
    expect([...new Set(missing)]).toEqual([]);
  });
});

describe("what pages name exists", () => {
  test("files and folders of the repository", () => {
    const texts = [...Object.entries(PAPERS), ...PAGES.map(({ name, text }) => [name, text] as const)];
    const wrong = texts.flatMap(([name, text]) =>
      [...text.matchAll(/(?<![\w/.-])(?:src|test|migrations)\/[\w./*<>-]*/g)].flatMap(([found]) => {
        const path = found.replace(/[./]+$/, "");
        const isPlaceholder = /[<*]/.test(path) || EXAMPLES.has(path);
        const exists = repositoryFiles.some((file) => file === path || file.startsWith(`${path}/`));
        return isPlaceholder || exists ? [] : [`${name}: ${found}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("npm's scripts", () => {
    const { scripts } = JSON.parse(packageJson);
    const texts = [...Object.values(PAPERS), ...PAGES.map(({ text }) => text)];
    const wrong = texts.flatMap((text) =>
      [...text.matchAll(/npm run ([\w:-]+)/g)].flatMap(([, name = ""]) => (name in scripts ? [] : [name])),
    );
    expect(wrong).toEqual([]);
  });

  test("routes, with their methods", () => {
    const wrong = faults((page) =>
      codeIn(page).flatMap((code) => {
        const found = code.matchAll(
          /(?:^|[\s"'}>]|\$B)(\/(?:v1|docs|healthz|openapi\.json|channels)(?:\/[^\s"'`?#]*)?)(?=$|[\s"'`?#])/g,
        );
        const methods = code.match(/\b(?:GET|POST|PUT|PATCH|DELETE)\b/g) ?? [];
        return [...found].flatMap(([, path = ""]) =>
          path === "/v1" || isRoute(path, methods) ? [] : [`${methods.join(" ")} ${path}`],
        );
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("fields of the configuration that take effect", () => {
    const roots = Object.keys(wholeSchema.shape).join("|");
    const field = new RegExp(`^(?:${roots})(?:\\.[\\w<>-]+(?:\\[\\])?)+$`);
    const named = PAGES.filter(({ name }) => !/^configuration-(?:reference|connections)$/.test(name));
    const wrong = named.flatMap((page) => codeIn(page).filter((code) => field.test(code) && !isLiveField(code)));
    expect(wrong).toEqual([]);
  });

  test("configurations that are valid", () => {
    const wrong = faults((page) => {
      if (page.name === "plugins") return [];
      const blocks = [...page.text.matchAll(/^ *```json5\n([\s\S]*?)^ *```/gm)].map(([, code = ""]) => code);
      const roots = Object.keys(wholeSchema.shape).join("|");
      const braced = new RegExp(`^\\{ (?:${roots}): .*\\}$`);
      const bare = new RegExp(`^(?:${roots}): \\{.*\\}$`);
      const lines = codeIn(page).flatMap((code) =>
        braced.test(code) ? [code] : bare.test(code) ? [`{ ${code} }`] : [],
      );
      return [...blocks, ...lines].flatMap((code) => {
        const parsed = wholeSchema.safeParse(JSON5.parse(code));
        return parsed.success ? [] : [`${code}: ${parsed.error.message}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  test("commands, and the page of commands has all of them", () => {
    const text = findPage("commands")!.text;
    for (const { name } of COMMANDS) expect(text).toContain(`/${name.replace("subagents log", "subagents")}`);
    const known: string[] = COMMANDS.map(({ name }) => name);
    const named = [...text.matchAll(/^\| `\/(\w+)/gm)].map(([, name = ""]) => name);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});

test("the configuration reference is up to date; `npm run docs:reference` updates it", () => {
  for (const [file, text] of Object.entries(referencePages())) {
    expect(findPage(file.replace(".md", ""))!.text).toBe(text);
  }
});

/** Whether a route with these methods matches a path of a page, in which `:id` and `<id>` are variables. */
function isRoute(written: string, methods: readonly string[]): boolean {
  const sample = written.replaceAll(/:\w+|<[^>]+>|…/g, "x");
  const found = routes.filter(({ path }) => {
    const pattern = path.replaceAll(/\/:\w+\{\.\+\}/g, "/.+").replaceAll(/:\w+(?:\{[^}]*\})?/g, "[^/]+");
    return new RegExp(`^${pattern}$`).test(sample);
  });
  const taken = found.map(({ method }) => method);
  return found.length > 0 && methods.every((method) => taken.includes(method) || taken.includes("ALL"));
}

/** Whether a field that takes effect is at a path or below it. */
function isLiveField(written: string): boolean {
  const shape = (path: string) => path.replaceAll(/\.<[^>]+>/g, ".<>");
  const meant = shape(written);
  return [...fields].some(([path, state]) => {
    return state === "live" && (shape(path) === meant || shape(path).startsWith(`${meant}.`));
  });
}

test("a name of 400,000 slashes is not a page, and the look-up is fast", () => {
  expect(findPage(`/index${"/".repeat(400_000)}x`)).toBeUndefined();
  expect(findPage("//index//")?.name).toBe("index");
});
