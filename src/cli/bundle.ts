import { execFile } from "node:child_process";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin, stop } from "esbuild";

const FRONT = join(import.meta.dirname, "front-worker.ts");
const PAGE_BUILD = join("src", "web", "build.ts");
/** The documentation, the agent's templates, the bundled skills and the migrations travel inside the bundle. */
const LOADERS = { ".md": "text", ".sql": "text", ".sh": "text" } as const;

/** An ES module of the Worker, by its path in the bundle. */
export interface WorkerModule {
  path: string;
  text: string;
}

/** A Worker as ES modules: the main one first, then those that it imports, at once or when it needs them. */
export interface WorkerBundle {
  modules: WorkerModule[];
  /** The source map of each module, by the module's path. */
  maps: WorkerModule[];
  metafile: Metafile;
}

/** What a start of the Worker runs: Isopod, and the Worker in front of it. */
export interface Bundles {
  isopod: WorkerModule[];
  front: string;
}

/** Builds the page, and bundles Isopod and the Worker in front of it. */
export async function bundle(root: string, main: string): Promise<Bundles> {
  try {
    const page = promisify(execFile)(process.execPath, [PAGE_BUILD], { cwd: root });
    const [{ modules }, [front]] = await Promise.all([bundleWorker(main), bundleFile(FRONT), page]);
    return { isopod: modules, front: front?.text ?? "" };
  } finally {
    // Its service would keep 300 MB for as long as Isopod runs.
    await stop();
  }
}

/**
 * Bundles a Worker as several modules: what is reached by `import()` alone is a module of its own, which workerd evaluates
 * when it is first imported. Wrangler makes one module of all, in which each lazy part and all that it needs is a
 * function that is compiled a second time.
 */
export async function bundleWorker(main: string): Promise<WorkerBundle> {
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    entryPoints: { index: main },
    outdir: OUTPUT,
    outExtension: { ".js": ".mjs" },
    chunkNames: "[name]-[hash]",
    splitting: true,
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
    write: false,
  });
  const named = outputFiles.map(({ path, text }) => ({ path: relative(OUTPUT, path), text }));
  const modules = named.filter(({ path }) => path.endsWith(".mjs"));
  const maps = named.filter(({ path }) => path.endsWith(".mjs.map"));
  return {
    modules: modules.sort((one, other) => Number(other.path === MAIN_MODULE) - Number(one.path === MAIN_MODULE)),
    maps: maps.map(({ path, text }) => ({ path: path.slice(0, -".map".length), text })),
    metafile,
  };
}

/** The path of a bundle's main module. */
export const MAIN_MODULE = "index.mjs";
/** Nothing is written there: esbuild names its outputs by it. */
const OUTPUT = join(process.cwd(), "dist", "worker");

/** Zod's messages in sixty languages are reachable by `z.locales`, which nothing reads; English comes without it. */
const WITHOUT_LOCALES: Plugin = {
  name: "without-locales",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export {};" }));
  },
};

/** workerd has the modules of `cloudflare:` and `node:` itself. */
const OPTIONS = {
  bundle: true,
  format: "esm",
  target: "es2024",
  minify: true,
  conditions: ["workerd", "worker", "browser"],
  external: ["cloudflare:*", "node:*"],
  define: { "process.env.NODE_ENV": '"production"' },
  loader: LOADERS,
  plugins: [WITHOUT_LOCALES],
  logLevel: "error",
} as const satisfies BuildOptions;

async function bundleFile(entry: string): Promise<OutputFile[]> {
  const { outputFiles } = await build({ ...OPTIONS, entryPoints: [entry], write: false });
  return outputFiles;
}
