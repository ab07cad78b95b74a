import { truncateExternal, wrapExternal, wrapExternalJob } from "../../src/security/external-content.ts";
import { detectInjection } from "../../src/security/external-content-detection.ts";

/** One recorded case of `external-content-cases.json`: what it calls, with what, and what must come of it. */
export interface ExternalContentCase {
  fn: string;
  name: string;
  content: string;
  options?: { source: "email"; sender?: string; subject?: string };
  params?: { content: string; source: "webhook"; jobName: string; jobId: string; timestamp: string };
  source: string;
  max?: number;
  expect: {
    flagged?: boolean;
    contains?: string[];
    notContains?: string[];
    oneStartOneEnd?: boolean;
    fencedContains?: string[];
    trustedContains?: string[];
    trustedNotContains?: string[];
  };
}

const ID = "0f1e2d3c4b5a6978";
const START = `<<<EXTERNAL_UNTRUSTED_CONTENT id="${ID}">>>`;
const END = `<<<END_EXTERNAL_UNTRUSTED_CONTENT id="${ID}">>>`;
const ANY_MARKER = /<<<(?:END_)?EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>/g;

/** What is wrong with each case that does not end as recorded: its name and the first difference. */
export function casesFailed(cases: readonly ExternalContentCase[]): string[] {
  return cases.flatMap((one) => {
    const wrong = differences(one);
    return wrong[0] === undefined ? [] : [`${one.name ?? one.content}: ${wrong[0]}`];
  });
}

function differences(one: ExternalContentCase): string[] {
  if (one.fn === "detectSuspiciousPatterns") {
    const flagged = detectInjection(one.content).length > 0;
    return flagged === one.expect.flagged ? [] : [`flagged is ${flagged}`];
  }
  if (one.max !== undefined) {
    const excerpt = JSON.stringify(truncateExternal(one.source, one.max));
    return excerpt === JSON.stringify(one.expect) ? [] : [`the excerpt is ${excerpt}`];
  }
  const wrapped = wrap(one);
  const fenced = wrapped.slice(wrapped.indexOf(START), wrapped.indexOf(END));
  const trusted = wrapped.replace(fenced, "");
  const { contains = [], notContains = [], fencedContains = [], trustedContains = [] } = one.expect;
  return [
    ...contains.filter((part) => !wrapped.includes(part)).map((part) => `lacks ${part}`),
    ...notContains.filter((part) => wrapped.includes(part)).map((part) => `has ${part}`),
    ...fencedContains.filter((part) => !fenced.includes(part)).map((part) => `lacks ${part} inside`),
    ...trustedContains.filter((part) => !trusted.includes(part)).map((part) => `lacks ${part} outside`),
    ...(one.expect.trustedNotContains ?? []).filter((part) => trusted.includes(part)).map((p) => `has ${p} outside`),
    ...(one.expect.oneStartOneEnd && wrapped.match(ANY_MARKER)?.join() !== [START, END].join()
      ? ["other markers"]
      : []),
  ];
}

function wrap({ content, options, params }: ExternalContentCase): string {
  if (params !== undefined) {
    const { jobId, jobName, timestamp } = params;
    const job = { id: jobId, receivedAt: timestamp, name: jobName };
    return wrapExternalJob(params.content, { source: params.source, id: ID }, job);
  }
  const metadata = {
    ...(options?.sender !== undefined && { From: options.sender }),
    ...(options?.subject !== undefined && { Subject: options.subject }),
  };
  return wrapExternal(content, { source: options?.source ?? "unknown", id: ID, metadata });
}
