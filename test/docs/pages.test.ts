import JSON5 from "json5";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json?raw";
import { COMMANDS } from "../../src/commands/index.ts";
import { headingsOf } from "../../src/docs/headings.ts";
import { type DocsPage, findPage, PAGES } from "../../src/docs/pages.ts";
import { createApp } from "../../src/http/app.ts";
import { wholeSchema } from "../../src/services/config-schema.ts";
import { configFields, referencePage } from "./reference-page.ts";

const files = Object.keys(import.meta.glob("../../src/docs/**/*.md", { query: "?raw" }));
const fields = configFields();
const routes = createApp().routes.filter(({ path }) => path !== "/*" && path !== "/v1/*");

/** Code in running text, and lines of code that stand alone. */
function codeIn({ text }: DocsPage): string[] {
  const blocks = [...text.matchAll(/^ *```\w*\n([\s\S]*?)^ *```/gm)].map(([, code = ""]) => code);
  const rest = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "");
  return [
    ...blocks.flatMap((code) => code.split("\n")),
    ...[...rest.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code),
  ];
}

/** Faults of all pages, each with the page that has it. */
function faults(find: (page: DocsPage) => string[]): string[] {
  return PAGES.flatMap((page) => find(page).map((fault) => `${page.name}: ${fault}`));
}

describe("every page", () => {
  test("that is there is listed, and the index names it", () => {
    const names = files.map((path) => path.replace("../../src/docs/", "").replace(/\.md$/, ""));
    expect(PAGES.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    const index = findPage("index")!.text;
    for (const { name } of PAGES.filter((page) => page.name !== "index" && !page.name.startsWith("zh/"))) {
      expect(index).toContain(`](${name}.md)`);
    }
    for (const { name } of PAGES.filter((page) => /^zh\/(?!index)/.test(page.name))) {
      expect(findPage("zh")!.text).toContain(`](${name.slice("zh/".length)}.md)`);
    }
  });

  test("begins with its title and a sentence on what is in it", () => {
    for (const { name, title, about, text } of PAGES) {
      expect([name, text.startsWith(`# ${title}\n\n`), about.length > 10 && about.length < 300]).toEqual([
        name,
        true,
        true,
      ]);
    }
  });

  test("is short enough, and all of them together are", () => {
    const sizes = PAGES.map(({ text }) => new TextEncoder().encode(text).length);
    expect(Math.max(...sizes)).toBeLessThan(50 * 1024);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(175_000);
  });

  test("links to pages and headings that are there", () => {
    const broken = faults(({ name, text }) =>
      [...text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, href = ""]) => {
        if (/^https?:/.test(href)) return [];
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

describe("what pages name exists", () => {
  test("npm's scripts", () => {
    const { scripts } = JSON.parse(packageJson);
    const wrong = faults((page) =>
      [...page.text.matchAll(/npm run ([\w:-]+)/g)].flatMap(([, name = ""]) => (name in scripts ? [] : [name])),
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

  test("fields of the configuration, and what each is there for is done", () => {
    const roots = Object.keys(wholeSchema.shape).join("|");
    const field = new RegExp(`^(?:${roots})(?:\\.[\\w<>-]+(?:\\[\\])?)+$`);
    const named = PAGES.filter(({ name }) => name !== "configuration-reference");
    const wrong = named.flatMap((page) => codeIn(page).filter((code) => field.test(code) && !isLiveField(code)));
    expect(wrong).toEqual([]);
  });

  test("configurations, whole and as they are", () => {
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

  test("commands, and every one of them is there", () => {
    const text = findPage("commands")!.text;
    for (const { name } of COMMANDS) expect(text).toContain(`/${name.replace("subagents log", "subagents")}`);
    const known: string[] = COMMANDS.map(({ name }) => name);
    const named = [...text.matchAll(/^\| `\/(\w+)/gm)].map(([, name = ""]) => name);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});

test("the reference is what the schema says; `npm run docs:reference` makes it so", () => {
  expect(findPage("configuration-reference")!.text).toBe(referencePage());
});

/** Whether a path as it is written in a page, with `:id` or `<id>` for what varies, is one of a route of these methods. */
function isRoute(written: string, methods: readonly string[]): boolean {
  const sample = written.replaceAll(/:\w+|<[^>]+>|…/g, "x");
  const found = routes.filter(({ path }) => {
    const pattern = path.replaceAll(/\/:\w+\{\.\+\}/g, "/.+").replaceAll(/:\w+(?:\{[^}]*\})?/g, "[^/]+");
    return new RegExp(`^${pattern}$`).test(sample);
  });
  const taken = found.map(({ method }) => method);
  return found.length > 0 && methods.every((method) => taken.includes(method) || taken.includes("ALL"));
}

/** Whether a field that does something is at a path or below it, whatever stands for the names in it. */
function isLiveField(written: string): boolean {
  const shape = (path: string) => path.replaceAll(/\.<[^>]+>/g, ".<>");
  const meant = shape(written);
  return [...fields].some(([path, state]) => {
    return state === "live" && (shape(path) === meant || shape(path).startsWith(`${meant}.`));
  });
}

test("a name full of slashes is no page, and found to be none at once", () => {
  expect(findPage(`/index${"/".repeat(400_000)}x`)).toBeUndefined();
  expect(findPage("//index//")?.name).toBe("index");
});
