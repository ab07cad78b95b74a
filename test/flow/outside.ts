import { env } from "cloudflare:test";
import { isolateListings } from "../../src/services/listing-cache.ts";

/** Lets a minute pass in which no turn lists anything: the next one sees what other programs have changed in R2. */
export function forgetListings(): void {
  const { workspaces, skills } = isolateListings;
  workspaces.drop("");
  skills.drop("");
}

/** Writes an object as another program does, a minute ago. */
export async function putOutside(key: string, value: string | Uint8Array): Promise<R2Object> {
  const object = await env.FILES.put(key, value);
  forgetListings();
  if (object === null) throw new Error(`${key} was not written.`);
  return object;
}

/** Deletes an object as another program does, a minute ago. */
export async function deleteOutside(key: string | string[]): Promise<void> {
  await env.FILES.delete(key);
  forgetListings();
}
