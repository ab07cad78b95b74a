import { expect, test } from "vitest";
import { readable } from "../../../src/channels/slack/readable.ts";

test.each([
  ["1 &lt; 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"],
  ["&amp;lt; stays", "&lt; stays"],
  ["ask <@U0LABBOB01|bob> or <@U0LABEVE01>", "ask @bob or @U0LABEVE01"],
  ["in <#C0LABCHAN1|lab> and <#C0LABCHAN2>", "in #lab and #C0LABCHAN2"],
  ["<!here> <!channel|channel> <!everyone>", "@here @channel @everyone"],
  ["<!subteam^S0LAB|@crew> <!subteam^S0LAB>", "@crew @S0LAB"],
  ["<!date^1392734382^{date}|Feb 18>", "Feb 18"],
  ["<https://example.com/a?b=1&amp;c=2>", "https://example.com/a?b=1&c=2"],
  ["<http://example.com|example.com> <https://example.com/|example.com>", "example.com example.com"],
  ["<https://example.com|the page>", "the page (https://example.com)"],
  [
    "<mailto:ada@example.com|ada@example.com> <tel:123|123> <mailto:ada@example.com>",
    "ada@example.com 123 ada@example.com",
  ],
  ["a <b c", "a <b c"],
])("%s reads %s", (text, expected) => {
  expect(readable(text)).toBe(expected);
});
