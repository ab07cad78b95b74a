import { resolveFolder } from "../workspace/paths.ts";
import type { Workspace, WorkspaceFile } from "../workspace/workspace.ts";
import { globMatcher } from "./glob.ts";

/**
 * The files below a folder that a glob names, by path; of a path that is a file, that one.
 * @param typed as a model writes it
 * @throws Error where there is neither, or the glob is none
 */
export async function filesBelow(
  workspace: Pick<Workspace, "walk" | "stat">,
  typed: string,
  glob: string | undefined,
): Promise<WorkspaceFile[]> {
  const folder = resolveFolder(typed);
  const matches = glob === undefined ? () => true : globMatcher(glob);
  const found = await workspace.walk(folder);
  if (found.length === 0 && folder !== "") return [await workspace.stat(folder)];
  const start = folder === "" ? 0 : folder.length + 1;
  return found.filter(({ path }) => matches(path) || matches(path.slice(start)));
}
