import { expect, test } from "vitest";
import { readActivity } from "../../../src/channels/msteams/activity.ts";
import { readText } from "../../../src/channels/msteams/text.ts";

const BOT = { id: "28:bot", name: "Isopod" };

function read(more: Record<string, unknown>) {
  const body = {
    ...{ type: "message", id: "1", channelId: "msteams", serviceUrl: "https://smba.trafficmanager.net/amer/" },
    ...{ from: { id: "29:ada" }, recipient: BOT, conversation: { id: "19:a@thread.v2", isGroup: true } },
    ...more,
  };
  const activity = readActivity(body);
  if (activity.kind !== "activity") throw new Error(activity.kind);
  return readText(activity.activity);
}

const html = (content: string) => ({ attachments: [{ contentType: "text/html", content }] });

test("the bot's name before the words is left out, other names can be read", () => {
  const text = "<at>Isopod</at>&nbsp;ask <at>Bob &amp; Co</at>, not <at>Isopod</at>";
  expect(read({ text }).text).toBe("ask @Bob & Co, not @Isopod");
});

test("the bot is known by the name that the mention has", () => {
  const entities = [{ type: "mention", mentioned: { id: BOT.id, name: "My Isopod" }, text: "<at>My Isopod</at>" }];
  expect(read({ text: "<at>My Isopod</at> /status", entities }).text).toBe("/status");
});

test("references are decoded once", () => {
  expect(read({ text: "1 &lt; 2 &amp;&amp; &amp;lt; &#8212; &#x2014; &unknown; &#0; &#99999999;" }).text).toBe(
    "1 < 2 && &lt; — — &unknown; &#0; &#99999999;",
  );
});

test("tags that a person typed stay as typed", () => {
  expect(read({ text: "use &lt;b&gt; or &lt;at&gt;" }).text).toBe("use <b> or <at>");
});

test("what is answered is quoted, and is not in the words", () => {
  const content =
    '<blockquote itemscope="" itemtype="http://schema.skype.com/Reply" itemid="1700">' +
    '<strong itemprop="mri" itemid="29:bob">Bob</strong><span itemprop="time" itemid="1700"></span>' +
    '<p itemprop="preview">Is 1 &lt; 2?</p></blockquote><p>Yes,<br><b>always</b></p>';
  expect(read({ text: "Bob Is 1 < 2? Yes, always", ...html(content) })).toEqual({
    ...{ text: "Yes,\nalways", replyToId: "1700" },
    quoted: { text: "Is 1 < 2?", senderName: "Bob" },
  });
});

test("what is forwarded is quoted, and the words may be missing", () => {
  const content = '<blockquote itemtype="http://schema.skype.com/Forward"><p>First</p><p>Second</p></blockquote>';
  expect(read({ text: "First Second", ...html(content) })).toEqual({ text: "", quoted: { text: "First\nSecond" } });
});

test("a mention in a reply is read as in a text", () => {
  const mention = (name: string) => `<span itemtype="http://schema.skype.com/Mention" itemid="0">${name}</span>`;
  const content =
    '<blockquote itemtype="http://schema.skype.com/Reply" itemid="1"><p itemprop="preview">Hi</p></blockquote>' +
    `<p>${mention("Isopod")}&nbsp;tell ${mention("Bob")}</p>`;
  expect(read(html(content)).text).toBe("tell @Bob");
});

test("the entity of a quote names it better than the HTML", () => {
  const quotedReply = { messageId: "1800", senderName: "Eve", preview: "short" };
  const text = '<quoted messageId="1800"/> agreed';
  expect(read({ text, entities: [{ type: "quotedReply", quotedReply }] })).toEqual({
    ...{ text: "agreed", replyToId: "1800" },
    quoted: { text: "short", senderName: "Eve" },
  });
});

test("a quote that does not end, and thousands of mentions, are read in no time", () => {
  const open = '<blockquote itemtype="http://schema.skype.com/Reply">'.repeat(2_000);
  expect(read({ text: "hello", ...html(open) }).text).toBe("hello");
  expect(read({ text: "<at>".repeat(100_000) }).text.length).toBe(400_000);
});

test("an emoji of Teams is its own sign", () => {
  const content =
    '<blockquote itemtype="http://schema.skype.com/Reply" itemid="1"><p itemprop="preview">Hi</p></blockquote>' +
    '<p>fine <span title="grin"><img alt="😀" itemtype="http://schema.skype.com/Emoji"></span></p>';
  expect(read(html(content)).text).toBe("fine 😀");
});
