import { expect, test } from "vitest";
import { createMask } from "../../src/security/mask.ts";

const VALUE = "s3cr3t/Väl+ue=\"q'&<x>";
const { mask, holds } = createMask({ API_KEY: VALUE, OTHER: "another-value" });
const utf8 = new TextEncoder();
const binary = (text: string) => String.fromCharCode(...utf8.encode(text));

test("a secret value is replaced by its name wherever it occurs", () => {
  expect(mask(`a ${VALUE} b ${VALUE}`)).toBe("a [redacted:API_KEY] b [redacted:API_KEY]");
  expect(mask("x=another-value;")).toBe("x=[redacted:OTHER];");
  expect(mask("nothing to see")).toBe("nothing to see");
});

test("a secret value is masked in JSON, URLs, hex and base64", () => {
  const forms = [
    JSON.stringify(VALUE).slice(1, -1),
    JSON.stringify(JSON.stringify(VALUE).slice(1, -1)).slice(1, -1),
    encodeURIComponent(VALUE),
    encodeURIComponent(VALUE).toLowerCase().replaceAll("v%c3%a4l", "V%c3%a4l"),
    new URLSearchParams({ "": VALUE }).toString().slice(1),
    [...utf8.encode(VALUE)].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
    [...utf8.encode(VALUE)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  ];
  for (const form of forms) expect(mask(`<${form}>`)).toBe("<[redacted:API_KEY]>");
});

test("a secret value is masked as shells, HTML and simple programs write it", () => {
  const letters = [...VALUE];
  const forms = [
    VALUE.replaceAll("'", "'\\''"),
    VALUE.replaceAll("'", "\\'"),
    VALUE.replaceAll(/["']/g, "\\$&").replace("ä", "\\344"),
    VALUE.replaceAll(/["']/g, "\\$&").replace("ä", "\\303\\244"),
    VALUE.replace(/[^\w/+=-]/g, "\\$&"),
    "s3cr3t/Väl+ue=&quot;q&apos;&amp;&lt;x&gt;",
    VALUE.toUpperCase(),
    letters.toReversed().join(""),
    letters.join("\n"),
    [...utf8.encode(VALUE)].map((byte) => byte.toString(8).padStart(3, "0")).join(" "),
  ];
  for (const form of forms) expect(mask(`<${form}>`)).toBe("<[redacted:API_KEY]>");
});

test("a secret value is masked in base64 at each alignment, and in base64url", () => {
  for (const before of ["", "x", "xy", "xyz"]) {
    const text = btoa(binary(`${before}${VALUE} and more`));
    for (const form of [text, text.replaceAll("+", "-").replaceAll("/", "_")]) {
      expect(mask(form)).toContain("[redacted:API_KEY]");
      expect(holds(utf8.encode(form))).toBe(true);
    }
  }
});

test("a secret value is masked in base64 and hex across lines and groups", () => {
  const long = btoa(binary(`${"x".repeat(50)}${VALUE}${"y".repeat(50)}`));
  const lines = long.replace(/.{76}/g, "$&\n");
  expect(mask(lines)).toContain("[redacted:API_KEY]");
  const groups = [...utf8.encode("another-value")].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  expect(mask(`00: ${groups}`)).toBe("00: [redacted:OTHER]");
});

test("two overlapping secret values become one mark", () => {
  const both = createMask({ ONE: "abcdef123", TWO: "123456789" });
  expect(both.mask("..abcdef123456789..")).toBe("..[redacted:ONE]..");
});

test("a value too short for a secret is not masked", () => {
  const none = createMask({ SHORT: "12345", EMPTY: "", SPACE: "          " });
  expect(none.mask("12345          ")).toBe("12345          ");
  expect(none.holds(utf8.encode("12345"))).toBe(false);
});

test("the lines of a long key are masked one by one, its frame is not", () => {
  const key =
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nEFAASCBKcwggSjAgEAAoIBAQ==\n-----END PRIVATE KEY-----\n";
  const { mask: hide } = createMask({ PEM: key });
  expect(hide("line: EFAASCBKcwggSjAgEAAoIBAQ==")).toBe("line: [redacted:PEM]");
  expect(hide(key.trim())).toBe("[redacted:PEM]");
  expect(hide("-----BEGIN PRIVATE KEY-----")).toBe("-----BEGIN PRIVATE KEY-----");
});
