import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildResult, build, type Plugin, transform } from "esbuild";

const SOURCE = fileURLToPath(new URL(".", import.meta.url));
const TARGET = fileURLToPath(new URL("../../dist/web/", import.meta.url));

/** Bundles the page, and the chat box for other pages, into `dist/web`. Unchanged files are not written, so that nothing reloads for them. */
async function buildPage(): Promise<void> {
  const bundle = await build({
    entryPoints: {
      app: join(SOURCE, "main.tsx"),
      style: join(SOURCE, "styles/style.css"),
      icon: join(SOURCE, "icon.svg"),
    },
    outdir: TARGET,
    entryNames: "[name].[hash]",
    bundle: true,
    format: "esm",
    target: "es2022",
    loader: { ".svg": "copy" },
    minify: true,
    legalComments: "eof",
    metafile: true,
    write: false,
  });
  // The Worker serves the documentation and does not know hashes.
  const docs = await build({
    entryPoints: { docs: join(SOURCE, "styles/docs.css") },
    outdir: TARGET,
    bundle: true,
    minify: true,
    write: false,
  });
  // Pages of others name it.
  const widget = await build({
    entryPoints: { widget: join(SOURCE, "widget/widget.ts") },
    outdir: TARGET,
    bundle: true,
    format: "iife",
    target: "es2022",
    plugins: [smallStyles],
    minify: true,
    write: false,
  });
  const files = new Map<string, Uint8Array>();
  for (const file of [...bundle.outputFiles, ...docs.outputFiles, ...widget.outputFiles])
    files.set(basename(file.path), file.contents);
  files.set("index.html", Buffer.from(await pageHtml(bundle)));
  files.set("_headers", Buffer.from(HEADERS));
  await writeChanged(files);
}

/** Style sheets that are texts are minified, too. */
const smallStyles: Plugin = {
  name: "small-styles",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    });
  },
};

async function pageHtml(bundle: BuildResult<{ metafile: true }>): Promise<string> {
  const named = (extension: string) => basename(outputNamed(bundle, extension));
  const template = await readFile(join(SOURCE, "index.html"), "utf8");
  return template
    .replace("{{script}}", named(".js"))
    .replace("{{style}}", named(".css"))
    .replace("{{icon}}", named(".svg"));
}

function outputNamed(bundle: BuildResult<{ metafile: true }>, extension: string): string {
  const path = Object.keys(bundle.metafile.outputs).find((output) => output.endsWith(extension));
  if (path === undefined) throw new Error(`The bundle has no ${extension} file.`);
  return path;
}

async function writeChanged(files: Map<string, Uint8Array>): Promise<void> {
  await mkdir(TARGET, { recursive: true });
  const present = new Set(await readdir(TARGET));
  for (const [name, contents] of files) {
    const isSame = present.has(name) && (await readFile(join(TARGET, name))).equals(contents);
    if (!isSame) await writeFile(join(TARGET, name), contents);
  }
  for (const name of present) if (!files.has(name)) await rm(join(TARGET, name), { recursive: true });
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types dompurify",
].join("; ");

/** The page's `_headers` file, in the format of Workers static assets: a file with a hash in its name never changes. */
const HEADERS = `/*
  Content-Security-Policy: ${POLICY}
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
  Cross-Origin-Opener-Policy: same-origin
  Permissions-Policy: camera=(), geolocation=(), microphone=()

/app.*
  Cache-Control: public, max-age=31536000, immutable

/style.*
  Cache-Control: public, max-age=31536000, immutable

/docs.css
  Cache-Control: public, max-age=300

/icon.*
  Cache-Control: public, max-age=31536000, immutable

/widget.js
  Cache-Control: public, max-age=3600
  Access-Control-Allow-Origin: *
  Cross-Origin-Resource-Policy: cross-origin
`;

await buildPage();
