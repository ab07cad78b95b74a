import type { WorkerBundle } from "../../src/cli/bundle.ts";
import { MAIN_MODULE } from "../../src/cli/bundle.ts";

/** The modules of a bundle that are evaluated when an isolate starts, the main one first, and their source files. */
export function startModules({ metafile: { outputs } }: Pick<WorkerBundle, "metafile">): {
  modules: string[];
  inputs: string[];
} {
  const main = Object.keys(outputs).find((output) => output.endsWith(`/${MAIN_MODULE}`));
  const reached = new Set(main === undefined ? [] : [main]);
  for (const output of reached) {
    for (const { path, kind } of outputs[output]?.imports ?? []) {
      if (kind === "import-statement" && outputs[path] !== undefined) reached.add(path);
    }
  }
  const inputs = [...reached].flatMap((output) => Object.keys(outputs[output]?.inputs ?? {}));
  return { modules: [...reached].map((output) => output.split("/").at(-1) ?? ""), inputs };
}
