import { SELF } from "cloudflare:test";
import { inject } from "vitest";
import { hmac, toHex } from "../../src/security/hmac.ts";
import { knownPlace } from "../channels/platform-lab.ts";
import { channelFlow } from "./channel-flow.ts";
import { channelSecrets } from "./config.ts";

const place = knownPlace("github", "flow", inject("platforms"));

/** Each person writes on an issue of their own. */
channelFlow("github", {
  sessionKey: (person) => `agent:main:github:group:octo%2Frepo#${person}`,
  async deliver(person, text, id, { isForged } = {}) {
    const user = { id: person, login: `person-${person}`, type: "User" };
    const body = JSON.stringify({
      ...{ action: "created", sender: user, repository: { full_name: "octo/repo" }, installation: { id: 4711 } },
      issue: { id: person, number: person, title: "An issue", body: null, user },
      comment: { id: person * 1000 + numberOf(id), body: `@isopod-agent ${text}`, user },
    });
    const secret = isForged ? "another" : channelSecrets.GITHUB_WEBHOOK_SECRET;
    return SELF.fetch("https://isopod.test/channels/github/default/webhook", {
      method: "POST",
      headers: {
        "X-GitHub-Event": "issue_comment",
        "X-GitHub-Delivery": crypto.randomUUID(),
        "X-Hub-Signature-256": `sha256=${toHex(await hmac("SHA-256", secret, body))}`,
      },
      body,
    });
  },
  async sentTo(person) {
    const calls = await place.calls(`issues/${person}/comments`);
    return calls.flatMap(({ fields }) => ("body" in fields ? [String(fields.body)] : []));
  },
  scriptSending: (answer) => place.script({ path: "/comments", ...answer }),
});

function numberOf(id: string): number {
  return Array.from(id).reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 997, 0);
}
