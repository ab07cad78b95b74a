import { describe, expect, test } from "vitest";
import { readXmlFields } from "../../../src/channels/wecom/xml.ts";

function read(xml: string): Record<string, string> | undefined {
  const fields = readXmlFields(xml);
  return fields && Object.fromEntries(fields);
}

describe("WeCom's XML", () => {
  test("has fields as character data and as text, with XML's own references", () => {
    const xml =
      '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<xml>\n <A><![CDATA[1 < 2 && ]] > 0]]></A>\n <B> 7 &amp; &#x4e2d;&#25991; </B>\n</xml>\n';
    expect(read(xml)).toEqual({ A: "1 < 2 && ]] > 0", B: " 7 & 中文 " });
  });

  test("joins character data that was split, as a text with its end has to be", () => {
    expect(read("<xml><A><![CDATA[a]]]]><![CDATA[>b]]></A></xml>")).toEqual({ A: "a]]>b" });
  });

  test("takes tags within character data for text, so that nobody can forge a field", () => {
    const forged = "</Content><FromUserName>boss</FromUserName><Content>";
    const xml = `<xml><Content><![CDATA[${forged}]]></Content><FromUserName>ada</FromUserName></xml>`;
    expect(read(xml)).toEqual({ Content: forged, FromUserName: "ada" });
    expect(read("<xml><From>ada</From><From>boss</From></xml>")).toEqual({ From: "ada" });
  });

  test("leaves out what is deeper than a field", () => {
    const items = "<Items><Item><Key>boss</Key></Item></Items><Empty/><Count>1</Count>";
    expect(read(`<xml>${items}</xml>`)).toEqual({ Items: "", Empty: "", Count: "1" });
  });

  test("expands nothing: a document type is refused, and other references stay as they are", () => {
    const bomb = '<!DOCTYPE xml [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;">]><xml><Content>&b;</Content></xml>';
    expect(read(bomb)).toBeUndefined();
    expect(read("<xml><Content>&b;&nbsp;&#0;&#xd800;</Content></xml>")).toEqual({ Content: "&b;&nbsp;&#0;&#xd800;" });
  });

  test("that is broken, has attributes, comments or two roots, or is too deep or long, is none", () => {
    const deep = `${"<a>".repeat(20)}${"</a>".repeat(20)}`;
    const long = `<xml>${"<a>1</a>".repeat(1000)}</xml>`;
    const broken = ["", "x", "<xml>", "<xml></a>", "<a><b></a></b>", "<xml a='1'></xml>", "<xml><!-- x --></xml>"];
    for (const xml of [...broken, "<a></a><b></b>", "<a></a>x", "<xml><![CDATA[x</xml>", deep, long]) {
      expect(read(xml), xml.slice(0, 40)).toBeUndefined();
    }
  });

  test("is read in time that grows with its length alone", () => {
    for (const one of ["<", "<![CDATA[", "&", "<a", " "]) {
      const startedAt = performance.now();
      read(`<xml>${one.repeat(200_000)}`);
      expect(performance.now() - startedAt).toBeLessThan(2000);
    }
  });
});
