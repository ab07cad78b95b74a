import { expect, test } from "vitest";
import { isVerified } from "../../../src/channels/email/authentication.ts";

const verdict = (
  results: string | string[],
  { from = "ada@example.org", envelopeFrom = "ada@example.org", verifier = "mx.cloudflare.net" } = {},
) =>
  isVerified(
    [results].flat().map((value) => ({ key: "authentication-results", value })),
    { domain: from.slice(from.indexOf("@") + 1), envelopeFrom, verifier },
  );

// As Email Routing writes it.
const GENUINE = `mx.cloudflare.net;
\tdkim=pass header.d=example.org header.s=20251104 header.b=L6CZ3OJ0;
\tdmarc=pass header.from=example.org policy.dmarc=none;
\tspf=none (mx.cloudflare.net: no SPF records found for postmaster@mail.example.org) smtp.helo=mail.example.org;
\tspf=pass (mx.cloudflare.net: domain of ada@example.org designates 192.0.2.1 as permitted sender) smtp.mailfrom=ada@example.org;
\tarc=pass smtp.remote-ip="192.0.2.1"`;

test("DMARC decides who a mail is from", () => {
  expect(verdict(GENUINE)).toBe(true);
  expect(verdict(GENUINE.replace("dmarc=pass", "dmarc=fail"))).toBe(false);
  expect(verdict(GENUINE.replace("dmarc=pass", "dmarc=temperror"))).toBe(false);
  expect(verdict(GENUINE, { from: "ada@example.net" })).toBe(false);
  expect(
    verdict("mx.cloudflare.net; dkim=pass header.d=example.org; spf=pass smtp.mailfrom=example.org; dmarc=pass"),
  ).toBe(true);
});

test("without DMARC a signature of the domain, or of one above it, is enough", () => {
  const signed = (domain: string, result = "pass") =>
    verdict(`mx.cloudflare.net; dkim=${result} header.d=${domain}; dmarc=none; spf=none smtp.mailfrom=x@bulk.example`, {
      from: "ada@mail.example.org",
      envelopeFrom: "x@bulk.example",
    });
  expect(signed("mail.example.org")).toBe(true);
  expect(signed("example.org")).toBe(true);
  expect(signed("example.org", "fail")).toBe(false);
  expect(signed("other.mail.example.org")).toBe(false);
  expect(signed("badexample.org")).toBe(false);
  expect(signed("org")).toBe(false);
});

test("without DMARC SPF counts for the sender of the connection alone", () => {
  const results = "mx.cloudflare.net; dkim=none; dmarc=none; spf=pass smtp.mailfrom=bounce@example.org";
  expect(verdict(results, { envelopeFrom: "bounce@example.org" })).toBe(true);
  expect(verdict(results, { envelopeFrom: "bounce@evil.example" })).toBe(false);
  expect(verdict(results.replace("spf=pass", "spf=softfail"), { envelopeFrom: "bounce@example.org" })).toBe(false);
});

test("only the topmost results count, and only those of the server that hands over the mail", () => {
  const failed = GENUINE.replace("dmarc=pass", "dmarc=fail").replace("dkim=pass", "dkim=fail");
  expect(verdict([failed, GENUINE])).toBe(false);
  expect(verdict([GENUINE.replace("mx.cloudflare.net;", "mx.evil.example;"), GENUINE])).toBe(false);
  expect(verdict(GENUINE, { verifier: "mx.example.com" })).toBe(false);
  expect(isVerified([], { domain: "example.org", envelopeFrom: "a@example.org", verifier: "mx.cloudflare.net" })).toBe(
    false,
  );
});

test("what the sender chose is not read as a result", () => {
  // The words of MAIL FROM in a comment and in a property.
  const mailFrom = "dmarc=pass@evil.example";
  const inComment = `mx.cloudflare.net; dkim=none; dmarc=fail header.from=example.org; spf=pass (domain of ${mailFrom}; dmarc=pass header.from=example.org) smtp.mailfrom=${mailFrom}`;
  expect(verdict(inComment, { envelopeFrom: mailFrom })).toBe(false);
  // A MAIL FROM or HELO that ends the comment.
  const broken = (words: string, dmarc = "none") =>
    `mx.cloudflare.net; dkim=none; dmarc=${dmarc}; spf=none (postmaster@${words}) smtp.helo=${words}`;
  const forged = "x); dmarc=pass header.from=example.org; y=(z";
  expect(verdict(broken(forged), { envelopeFrom: "x@evil.example" })).toBe(false);
  expect(verdict(broken("x); dkim=pass header.d=example.org; y=(z"), { envelopeFrom: "x@evil.example" })).toBe(false);
  expect(verdict(GENUINE, { envelopeFrom: '"a); dmarc=pass"@evil.example' })).toBe(false);
  // What does not end is no header field of a server's.
  expect(verdict(`${GENUINE} (`)).toBe(false);
  expect(verdict(`${GENUINE} "`)).toBe(false);
  expect(verdict(`${GENUINE})`)).toBe(false);
});
