import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Texts, textsFor } from "../../src/web/texts.ts";
import { type Browser, openBrowser } from "./browser.ts";
import { ScriptedApi, TOKEN } from "./scripted-api.ts";
import { ScriptedMemory } from "./scripted-memory.ts";
import { scriptedPrompt } from "./scripted-prompt.ts";
import { ScriptedSkills } from "./scripted-skills.ts";

const WIDTHS = [320, 375, 412];
const HEIGHT = 720;
const LONG_WORD = "Donaudampfschifffahrtsgesellschaft".repeat(4);
const URL_WITHOUT_BREAKS = `https://example.com/${"path/".repeat(30)}`;
const LONG_ANSWER = `# ${LONG_WORD}

${"A sentence of an answer that takes several lines on a phone. ".repeat(6)}${URL_WITHOUT_BREAKS}

\`${LONG_WORD}\`

- one ${LONG_WORD}
  - two ${URL_WITHOUT_BREAKS}

> ${LONG_WORD}

\`\`\`ts
const line = "${"x".repeat(200)}";
\`\`\`

| ${Array.from({ length: 12 }, (_, column) => `Column ${column}`).join(" | ")} |
|${"---|".repeat(12)}
| ${Array.from({ length: 12 }, () => "a cell of words").join(" | ")} |
`;

/** A page in one language, and the server behind it. */
interface Phone {
  page: Page;
  api: ScriptedApi;
  texts: Texts;
}

/** A view of the page: how to get there, and what must be in reach; by default the button that sends. */
interface View {
  name: string;
  open(phone: Phone): Promise<void>;
  button?(phone: Phone): Locator;
}

const VIEWS: View[] = [
  {
    name: "the sign-in form",
    async open({ page, api, texts }) {
      await page.goto(api.url);
      await page.getByLabel(texts.token).fill(LONG_WORD);
    },
    button: signInButton,
  },
  {
    name: "a refused token",
    async open({ page, api, texts }) {
      await page.goto(`${api.url}/#token=wrong`);
      await page.getByRole("alert").getByText(texts.wrongToken).waitFor();
    },
    button: signInButton,
  },
  {
    name: "a server that is not there",
    async open({ page, api, texts }) {
      await page.route("**/v1/me", (route) => route.abort());
      await page.goto(`${api.url}/#token=${TOKEN}`);
      await page.getByRole("alert").getByText(texts.unreachable).waitFor();
    },
    button: ({ page, texts }) => page.getByRole("button", { name: texts.tryAgain }),
  },
  { name: "an empty chat", open: enter },
  {
    name: "the open menu",
    async open(phone) {
      await enter(phone);
      await phone.page.getByRole("button", { name: phone.texts.menu }).click();
    },
    button: ({ page, texts }) => page.getByRole("button", { name: texts.signOut }),
  },
  {
    name: "a long answer with code and a table",
    async open(phone) {
      phone.api.model = `provider/${LONG_WORD}`;
      phone.api.script = async (run) => {
        run.message(
          [
            { type: "reasoning", text: LONG_ANSWER },
            { type: "tool-call", callId: "c1", tool: "web_search_tool", args: { query: LONG_WORD } },
          ],
          "tool-calls",
        );
        run.toolStarts("c1", "web_search_tool", { query: LONG_WORD });
        run.toolEnds("c1", "web_search_tool", URL_WITHOUT_BREAKS);
        run.answer(LONG_ANSWER);
      };
      await enter(phone);
      await send(phone, `${LONG_WORD} ${URL_WITHOUT_BREAKS}`);
      await phone.page.locator(".rich table").last().waitFor();
      for (const summary of await phone.page.locator(".turn summary").all()) await summary.click();
    },
  },
  {
    name: "a tool call that waits for approval",
    async open(phone) {
      phone.api.script = async (run) => {
        const args = { command: `rm ${URL_WITHOUT_BREAKS}` };
        run.message([{ type: "tool-call", callId: "c1", tool: "exec", args }], "tool-calls");
        await phone.api.ask(run.runId, "c1", "exec", `May I run rm ${URL_WITHOUT_BREAKS}?`);
      };
      await enter(phone);
      await send(phone, "Clean up");
      await phone.page.getByRole("button", { name: phone.texts.deny }).waitFor();
      await phone.page.getByLabel(phone.texts.placeholder).fill("Wait");
      await phone.page.getByRole("button", { name: phone.texts.stop, exact: true }).waitFor();
    },
  },
  {
    name: "a run that failed",
    async open(phone) {
      phone.api.script = async () => {
        throw new Error(`The model answered ${URL_WITHOUT_BREAKS}`);
      };
      await enter(phone);
      await send(phone, "Hello");
      await phone.page.getByRole("alert").getByText(phone.texts.failed).waitFor();
    },
  },
  {
    name: "a refused message",
    async open(phone) {
      await enter(phone);
      await send(phone, LONG_WORD.repeat(80));
      await phone.page.getByRole("button", { name: phone.texts.edit }).waitFor();
    },
  },
  {
    name: "a lost connection",
    async open(phone) {
      await enter(phone);
      phone.api.down = true;
      await phone.page.getByText(phone.texts.lost).waitFor();
      await send(phone, "Are you there?");
      await phone.page.getByText(phone.texts.unsent).waitFor();
    },
  },
  {
    name: "a fault of the server",
    async open(phone) {
      const error = { code: "config_invalid", message: `The configuration is not valid: ${LONG_WORD}` };
      phone.api.others = ({ path }) => (path.includes("/history") ? { status: 400, body: { error } } : undefined);
      await enter(phone);
      await phone.page.getByRole("alert").getByText(phone.texts.fault).waitFor();
    },
  },
  {
    name: "the prompt dialog",
    async open(phone) {
      phone.api.prompts = (path) => (path.endsWith("/context") ? scriptedPrompt({ window: 128_000 }) : undefined);
      await openDialog(phone, phone.texts.prompt);
      await phone.page.getByText("project-context", { exact: true }).click();
    },
    button: closeButton,
  },
  {
    name: "the prompt dialog of a refused request",
    async open(phone) {
      await openDialog(phone, phone.texts.prompt);
      await phone.page.getByRole("dialog").getByRole("alert").waitFor();
    },
    button: closeButton,
  },
  {
    name: "the skills dialog",
    async open(phone) {
      const skills = new ScriptedSkills();
      phone.api.others = (asked) => skills.answer(asked);
      await openDialog(phone, phone.texts.skills);
      await phone.page.getByText(phone.texts.install, { exact: true }).first().click();
      await phone.page.locator(".skill", { hasText: "invoices" }).locator("summary").click();
      await phone.page.getByRole("button", { name: phone.texts.verify }).click();
      await phone.page.getByText(phone.texts.differs).waitFor();
    },
    button: closeButton,
  },
  {
    name: "the memory dialog",
    async open(phone) {
      const memory = new ScriptedMemory();
      phone.api.others = (asked) => memory.answer(asked);
      await openDialog(phone, phone.texts.memory);
      await phone.page.getByLabel(phone.texts.searchMemory).fill("dentist");
      await phone.page.keyboard.press("Enter");
      await phone.page.locator(".hit summary").first().click();
      await phone.page.locator(".hit .found").first().waitFor();
    },
    button: closeButton,
  },
  {
    name: "the memory dialog of a refused request",
    async open(phone) {
      await openDialog(phone, phone.texts.memory);
      await phone.page.getByRole("dialog").getByRole("alert").waitFor();
    },
    button: closeButton,
  },
];

for (const locale of ["en-US", "zh-CN"]) {
  const { texts } = textsFor([locale]);

  describe(`on a phone, in ${locale}`, () => {
    let browser: Browser;
    let phone: Phone;

    before(async () => {
      browser = await openBrowser({ locale, width: WIDTHS[0]!, height: HEIGHT, touch: true });
    });
    after(() => browser.close());
    beforeEach(async () => {
      phone = { api: await ScriptedApi.start(), page: await browser.context.newPage(), texts };
    });
    afterEach(async () => {
      await phone.page.close();
      await phone.api.stop();
      assert.deepEqual(browser.troubles.splice(0), [], "nothing went wrong in the browser");
    });

    for (const { name, open, button = sendButton } of VIEWS) {
      test(`${name} fits the screen, with its button in reach`, async () => {
        await open(phone);
        for (const width of WIDTHS) {
          await phone.page.setViewportSize({ width, height: HEIGHT });
          assert.deepEqual(await phone.page.evaluate(outsideTheScreen), [], `at ${width} px`);
          const box = await button(phone).boundingBox();
          assert.ok(box !== null, `the button is shown at ${width} px`);
          const { x, y } = box;
          const isInside = x >= 0 && y >= 0 && x + box.width <= width && y + box.height <= HEIGHT;
          assert.ok(isInside, `the button is inside of ${width} px: ${JSON.stringify(box)}`);
        }
      });
    }

    test("the menu closes on a choice, on Escape and on a press elsewhere", async () => {
      const { page } = phone;
      await enter(phone);
      const menu = page.getByRole("button", { name: texts.menu });
      const memory = page.getByRole("button", { name: texts.memory });
      await menu.click();
      await memory.waitFor();
      await page.keyboard.press("Escape");
      await memory.waitFor({ state: "hidden" });
      assert.ok(await menu.evaluate((button) => button === document.activeElement));
      await menu.click();
      await page.getByRole("heading", { name: "Isopod" }).click();
      await memory.waitFor({ state: "hidden" });
      await menu.click();
      await memory.click();
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await memory.waitFor({ state: "hidden" });
    });
  });
}

/** The elements that reach over the screen's left or right edge; code and tables may scroll sideways in their frames. */
function outsideTheScreen(): string[] {
  const isFrame = (element: Element) =>
    !element.matches("body, .transcript, dialog") && getComputedStyle(element).overflowX !== "visible";
  const isInFrame = (element: Element): boolean => {
    const { parentElement } = element;
    return parentElement !== null && (isFrame(parentElement) || isInFrame(parentElement));
  };
  const isOutside = (element: Element) => {
    const { left, right, width } = element.getBoundingClientRect();
    return width > 0 && (left < -1 || right > innerWidth + 1);
  };
  const scrolls = [document.documentElement, ...document.querySelectorAll(".transcript, dialog")].filter(
    ({ scrollWidth, clientWidth }) => scrollWidth > Math.min(clientWidth, innerWidth),
  );
  const outside = [...document.querySelectorAll("body *")].filter((one) => isOutside(one) && !isInFrame(one));
  return [...scrolls, ...outside].map(({ tagName, className }) => `${tagName}.${className}`);
}

async function enter({ page, api, texts }: Phone): Promise<void> {
  await page.goto(`${api.url}/#token=${TOKEN}`);
  await page.getByLabel(texts.placeholder).waitFor();
}

async function send({ page, texts }: Phone, text: string): Promise<void> {
  await page.getByLabel(texts.placeholder).fill(text);
  await page.getByRole("button", { name: texts.send, exact: true }).click();
}

async function openDialog(phone: Phone, name: string): Promise<void> {
  await enter(phone);
  await phone.page.getByRole("button", { name: phone.texts.menu }).click();
  await phone.page.getByRole("button", { name, exact: true }).click();
  await phone.page.getByRole("dialog").waitFor();
}

function sendButton({ page, texts }: Phone): Locator {
  return page.getByRole("button", { name: texts.send, exact: true });
}

function signInButton({ page, texts }: Phone): Locator {
  return page.getByRole("button", { name: texts.signIn, exact: true });
}

function closeButton({ page, texts }: Phone): Locator {
  return page.getByRole("dialog").getByRole("button", { name: texts.close, exact: true });
}
