import { Webhook } from "standardwebhooks";
import type { FakePlatform } from "./fake-platform.ts";

/** The secret that the service of tests shares with the agent. */
export const SERVICE_SECRET = "whsec_dGhlIHNlY3JldCBvZiBib3RoIHNpZGVz";

/**
 * A service that takes replies: it refuses what the reference library does not accept as signed, and takes a
 * `webhook-id` once.
 */
export const webhookService: FakePlatform = {
  name: "webhook",
  answer({ headers, body, path }, memory) {
    if (path === "file.txt") return { body: "the contents" };
    try {
      new Webhook(SERVICE_SECRET).verify(body, headers);
    } catch (error) {
      return { status: 401, body: { error: String(error) } };
    }
    const id = String(headers["webhook-id"]);
    const isKnown = id in memory;
    memory[id] = true;
    return { body: { known: isKnown } };
  },
};
