import { findPage, PAGES } from "../../docs/pages.ts";
import type { Resource, Resources } from "../../tools/resources.ts";

/** Isopod's own documentation. */
const docs: Resource = {
  read: async (path) => findPage(path)?.text,
  list: async () => PAGES.map(({ name, title, about }) => ({ path: name, about: `${title}: ${about}` })),
};

/** What every agent may read besides its workspace, whoever speaks to it. */
export const RESOURCES: Resources = { docs };
