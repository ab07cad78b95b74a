import type { TestProject } from "vitest/node";
import { hasFixtures } from "./fixtures.ts";
import { startModelServer } from "./model-server.ts";

/** Starts what is outside of the Worker before the tests, and tells them where it is; see globals.d.ts. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const models = await startModelServer();
  project.provide("modelServer", models.url);
  project.provide("fixtures", await hasFixtures());
  return async () => {
    await models.close();
  };
}
