import { inject } from "vitest";
import type { PlatformCall, ScriptedPlatformAnswer } from "../fakes/platforms/fake-platform.ts";

let lastPlace = 0;

/** A place of a test's own on a platform's server. */
export interface PlatformPlace {
  /** The address of the platform's interface, without a slash at its end. */
  url: string;
  /** What was called, in order; with a path that contains `path`, where given. */
  calls(path?: string): Promise<PlatformCall[]>;
  /** What the next requests are answered with instead of the usual. */
  script(...answers: ScriptedPlatformAnswer[]): Promise<void>;
  /** Adds to what the place remembers. */
  remember(memory: Record<string, unknown>): Promise<void>;
}

/** A new place on the server of a platform. @param server the address of the server of platforms */
export function platformPlace(platform: string, server = inject("platforms")): PlatformPlace {
  return knownPlace(platform, `${crypto.randomUUID().slice(0, 8)}-${++lastPlace}`, server);
}

/** A place by name, such as the one that the Worker of flow tests is configured with. */
export function knownPlace(platform: string, name: string, server: string): PlatformPlace {
  const control = `${server}/control/${platform}/${name}`;
  const put = async (told: object) => {
    await fetch(control, { method: "PUT", body: JSON.stringify(told) }).then((response) => response.text());
  };
  return {
    url: `${server}/${platform}/${name}`,
    async calls(path = "") {
      const calls = await fetch(control).then((response) => response.json<PlatformCall[]>());
      return calls.filter((call) => call.path.includes(path));
    },
    script: (...script) => put({ script }),
    remember: (memory) => put({ memory }),
  };
}
