import { z } from "zod";
import { isHttpsOrLoopback } from "../lib/url.ts";
import { hostAndPort } from "../security/host-guard.ts";
import { DEFAULT_RESOLVER_URL } from "../security/name-lookup.ts";
import { hostPattern } from "./host-pattern.ts";
import { secretRef } from "./secret-ref.ts";
import { isAgentId } from "./session-key.ts";

const cap = z.number().min(0).optional();

const caps = z
  .strictObject({
    runsPerHour: cap.describe("Most runs that begin within any hour; 0 allows none. Commands do not count."),
    runsPerDay: cap.describe("Most runs that begin within any 24 hours."),
    tokensPerHour: cap.describe("Most tokens, in and out, within any hour."),
    tokensPerDay: cap.describe("Most tokens within any 24 hours."),
    usdPerHour: cap.describe("Most estimated money within any hour, in US dollars; every model needs a `cost` then."),
    usdPerDay: cap.describe("Most estimated money within any 24 hours."),
  })
  .prefault({});

/** `budgets`: spending caps. None is set by default, and then nothing is counted. */
export const budgets = z
  .strictObject({
    global: caps.describe("Of all agents together."),
    unattended: caps.describe(
      "Of all runs together that no person waits for: heartbeats, jobs, webhooks and BOOT.md. They count in the other budgets too.",
    ),
    perAgent: caps.describe("Of each agent that has no entry of its own."),
    agents: z
      .record(z.string().refine(isAgentId, "use an agent's id"), caps)
      .default({})
      .describe("Of one agent, by its id."),
  })
  .prefault({})
  .describe(
    "Most runs, tokens and estimated money an hour and a day. A run over a cap ends with a message that says so.",
  );

/** `auth`: several keys for one provider. */
export const auth = z
  .strictObject({
    profiles: z
      .record(
        z.string().regex(/^[\w.:@-]{1,80}$/, "use letters, digits and . : @ _ -"),
        z.strictObject({
          provider: z.string().describe("The provider that the key is of."),
          apiKey: secretRef,
        }),
      )
      .default({})
      .describe("Keys by a name of your own, such as `anthropic:work`."),
    order: z
      .record(z.string(), z.array(z.string()))
      .default({})
      .describe("Per provider, its profiles in the order in which they are used; by default as they are written."),
  })
  .superRefine(({ profiles, order }, context) => {
    for (const [provider, names] of Object.entries(order)) {
      for (const [at, name] of names.entries()) {
        if (profiles[name]?.provider === provider) continue;
        const message = `'${name}' is no profile of '${provider}'; add it to auth.profiles`;
        context.addIssue({ code: "custom", path: ["order", provider, at], message });
      }
    }
  })
  .prefault({})
  .describe("Keys of model providers. A refused or exhausted key cools down while the next one is used.");

const scope = z.enum(["read", "write", "admin"]);

const access = z
  .strictObject({
    teamDomain: z
      .url()
      .refine(isHttpsOrLoopback, "write the team's origin, such as https://example.cloudflareaccess.com")
      .describe("The team's origin in Zero Trust, such as `https://example.cloudflareaccess.com`."),
    audience: z.array(z.string().min(1)).min(1).describe("The audience tags (AUD) of the application."),
    scope: scope.default("admin").describe("What everybody may do whom Access lets in: read, write, or all of it."),
    scopes: z
      .record(z.string(), scope)
      .default({})
      .describe("Other scopes, by mail address (in small letters) or by a service token's client id."),
  })
  .describe(
    "The application of Cloudflare Access in front of the Worker. Whom it lets in needs no access token; without it, or " +
      "with a token that it did not sign, the access token is needed.",
  );

/** `security`: handling of untrusted content, and limits of egress. */
export const security = z
  .strictObject({
    injection: z
      .strictObject({
        action: z
          .enum(["log", "block", "strip-tools"])
          .default("log")
          .describe(
            "What else happens when foreign words look like a prompt injection: nothing, they are withheld (`block`), or " +
              "a turn that has them in view can answer and write files, but not run commands, send, or change what " +
              "later turns obey (`strip-tools`).",
          ),
      })
      .prefault({})
      .describe("Prompt injections in words that are not the owner's. They are logged in any case."),
    access: access.optional(),
    auditDays: z.number().int().min(1).default(365).describe("How many days the audit trail is kept."),
    senderRate: z
      .strictObject({
        messagesPerMinute: z.number().int().min(1).default(20).describe("Most messages within a minute."),
        messagesPerDay: z.number().int().min(1).default(500).describe("Most messages within a day (UTC)."),
      })
      .prefault({})
      .describe(
        "How many messages each person who is not an owner may send; more are dropped, and the person is told.",
      ),
    flow: z
      .enum(["ask", "refuse", "off"])
      .default("ask")
      .describe(
        "What happens when a turn that has read foreign words (a page, a stranger's message or file) wants to reach a host " +
          "or person that nobody named, or to change what later turns obey: an owner is asked, it is refused, or nothing.",
      ),
    egress: z
      .strictObject({
        mode: z
          .enum(["open", "ask", "allowlist"])
          .default("open")
          .describe(
            "Which hosts commands may reach: all public ones, others than `trusted` after a question, or `trusted` alone.",
          ),
        trusted: z
          .array(hostPattern)
          .default([])
          .describe("Hosts that may always be reached: `example.org`, `example.org:8443`, or `*.example.org`."),
        allowPrivate: z
          .array(
            z.string().refine((entry) => hostAndPort(entry) !== undefined, {
              error: "write a host and its port, such as `192.168.1.20:8080`",
            }),
          )
          .default([])
          .describe("Private servers that commands and installs may reach, as `host:port`."),
        resolverUrl: z
          .url({ protocol: /^https?$/ })
          .default(DEFAULT_RESOLVER_URL)
          .describe(
            "The DNS-over-HTTPS server (JSON) that resolves hosts before a request; used on your own machine only.",
          ),
      })
      .prefault({})
      .describe("Where requests of agents may go: the public internet, and the servers listed here."),
  })
  .prefault({})
  .describe("Protection against untrusted content, and limits of egress.");

/** `commands`. */
export const commands = z
  .strictObject({
    ownerAllowFrom: z
      .array(z.string())
      .default([])
      .describe(
        "Owners as `channel:senderId`, with `account/` before an id that only one account has, or an id on any channel.",
      ),
    ownerDisplay: z.enum(["raw", "hash"]).default("hash").describe("How the prompt shows an owner's id."),
    ownerDisplaySecret: secretRef.optional().describe("Key of the hash of owners' ids."),
  })
  .prefault({})
  .describe("Who may give commands.");
