import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, inject, test } from "vitest";
import { estimateTokens } from "../../src/lib/tokens.ts";

const sources = import.meta.glob<string>("../../{src,test}/**/*.ts", { query: "?raw", import: "default", eager: true });
const styles = import.meta.glob<string>("../../src/**/*.css", { query: "?raw", import: "default", eager: true });
const guides = import.meta.glob<string>("../../*.md", { query: "?raw", import: "default", eager: true });

/** The estimate as a share of what `o200k_base` counts. */
function ratio(text: string): number {
  return estimateTokens(text) / countTokens(text);
}

function expectClose(text: string): void {
  expect(ratio(text)).toBeGreaterThan(0.8);
  expect(ratio(text)).toBeLessThan(1.2);
}

const PROSE: Record<string, string> = {
  English:
    "Could we move Thursday's meeting to next week? I have to take my daughter to the dentist, and I'd rather not miss " +
    "the part about the budget. If that doesn't work, I'll send you my notes beforehand: there are three or four points " +
    "which I think we should settle before the end of the quarter, most of all who is going to talk to the landlord.",
  "English in capitals":
    "PLEASE NOTE: THE OFFICE IS CLOSED ON MONDAY. WORK FROM HOME, AND KEEP YOUR CALENDARS UP TO DATE.",
  Chinese:
    "你好，我想问一下下周的会议能不能改到星期四？星期三上午我要带孩子去看牙医，可能来不及。另外，麻烦你提前把议程发给我，" +
    "我好准备一下预算和分工的材料。接口已经改成异步的了：请求先写入队列，再由后台任务处理；如果失败，会自动重试三次。",
  "traditional Chinese":
    "您好，請問下週的會議可以改到星期四嗎？星期三上午我要帶孩子去看牙醫，可能來不及參加。麻煩您提前把議程寄給我，讓我準備預算的資料。",
  Japanese:
    "お疲れ様です。来週の会議の件ですが、水曜日の午前中は子供の歯医者の予約が入っているため、木曜日の午後に変更していただけないでしょうか。" +
    "事前に資料を送っていただけると助かります。サーバーはリクエストを受け取ると、まずトークンを検証し、データベースからユーザー情報を取得します。",
  Korean:
    "안녕하세요, 다음 주 회의 일정 때문에 연락드립니다. 수요일 오전에는 아이 치과 예약이 있어서 참석하기 어려울 것 같습니다. 혹시 목요일 오후로 " +
    "옮길 수 있을까요? 회의 전에 자료를 미리 보내 주시면 준비하는 데 큰 도움이 됩니다. 서버는 요청을 받으면 먼저 토큰을 검증하고, 데이터베이스에서 " +
    "사용자 정보를 조회한 다음 응답을 반환한다. 오늘은 날씨가 맑아서 친구와 함께 한강에 자전거를 타러 갔다.",
  French:
    "Bonjour, serait-il possible de déplacer notre rendez-vous de jeudi à la semaine suivante ? J'ai malheureusement un " +
    "engagement que je ne peux pas annuler. N'hésitez pas à me proposer d'autres créneaux qui vous conviendraient mieux.",
  German:
    "Könnten wir die Sitzung am Donnerstag um eine Woche verschieben? Ich muss mit meiner Tochter zum Zahnarzt und möchte " +
    "den Teil über die Kosten nicht verpassen. Sonst schicke ich Ihnen meine Anmerkungen vorher zu.",
  Spanish:
    "Hola, ¿podemos mover la reunión del jueves a la semana que viene? Tengo que llevar a mi hija al dentista y no quiero " +
    "perderme la parte del presupuesto. Si no es posible, te mando mis notas antes.",
  Polish:
    "Czy moglibyśmy przełożyć czwartkowe spotkanie na przyszły tydzień? Muszę iść z córką do dentysty, a nie chciałbym " +
    "przegapić części o budżecie. Jeśli to niemożliwe, wcześniej prześlę swoje uwagi.",
  Turkish:
    "Perşembe günkü toplantıyı gelecek haftaya alabilir miyiz? Kızımı dişçiye götürmem gerekiyor ve bütçeyle ilgili bölümü " +
    "kaçırmak istemiyorum. Olmazsa notlarımı size önceden gönderirim.",
  Vietnamese:
    "Chúng ta có thể dời cuộc họp thứ Năm sang tuần sau được không? Tôi phải đưa con gái đi khám răng và không muốn bỏ lỡ " +
    "phần về ngân sách. Nếu không được, tôi sẽ gửi ghi chú của mình trước.",
  Russian:
    "Можно ли перенести встречу в четверг на следующую неделю? Мне нужно отвести дочь к зубному, и не хотелось бы " +
    "пропустить разговор о бюджете. Если не получится, я заранее пришлю свои заметки.",
  Greek:
    "Μπορούμε να μεταφέρουμε τη συνάντηση της Πέμπτης στην επόμενη εβδομάδα; Πρέπει να πάω την κόρη μου στον οδοντίατρο.",
  Arabic:
    "هل يمكننا تأجيل اجتماع يوم الخميس إلى الأسبوع القادم؟ يجب أن آخذ ابنتي إلى طبيب الأسنان ولا أريد أن أفوت الجزء الخاص بالميزانية.",
  Hebrew:
    "אפשר להעביר את הפגישה של יום חמישי לשבוע הבא? אני צריך לקחת את הבת שלי לרופא שיניים ולא רוצה לפספס את החלק על התקציב.",
  Hindi:
    "क्या हम गुरुवार की बैठक अगले सप्ताह कर सकते हैं? मुझे अपनी बेटी को दंत चिकित्सक के पास ले जाना है और मैं बजट वाला हिस्सा छोड़ना नहीं चाहता।",
  Thai: "เราเลื่อนการประชุมวันพฤหัสบดีไปเป็นสัปดาห์หน้าได้ไหมครับ ผมต้องพาลูกสาวไปหาหมอฟัน และไม่อยากพลาดส่วนที่พูดถึงงบประมาณ",
  "a chat with emoji":
    "We got the flat!! 🎉🏠😍 Moving on Saturday 🚚, can you help? 🙏 Pizza 🍕 is on us 😂❤️👍🏽 ok? ✅",
};

const rows = (row: (n: number) => string) => Array.from({ length: 60 }, (_, n) => row(n)).join("\n");
/** Numbers in no order that are the same every time. */
const lot = (n: number) => Math.imul(n + 7, 2654435761) >>> 0;
const bytes = Uint8Array.from({ length: 1500 }, (_, n) => lot(n) >>> 24);

const DATA: Record<string, string> = {
  JSON: JSON.stringify(
    Array.from({ length: 40 }, (_, n) => ({ id: `msg_${n}`, at: lot(n), ok: true, tags: ["a", "b"] })),
  ),
  "JSON for people": JSON.stringify(
    { files: Array.from({ length: 40 }, (_, n) => ({ path: `a/${n}.ts`, size: n })) },
    null,
    2,
  ),
  CSV: rows((n) => `${n},${(lot(n) / 977).toFixed(3)},2026-03-1${n % 9},${n * 7919}`),
  "a log": rows(
    (n) => `2026-03-01T1${n % 9}:20:00.${100 + n}Z [INFO] worker: run_01hq${n}xk done in ${n * 13}ms status=ok`,
  ),
  base64: btoa(String.fromCharCode(...bytes)),
  hexadecimals: rows(
    (n) =>
      lot(n).toString(16).padStart(8, "0") +
      lot(n + 1000)
        .toString(16)
        .padStart(8, "0"),
  ),
  addresses: rows((n) => `https://www.shop-${n}.example.com/products/category-${n}/item?utm_source=news&page=${n}`),
  "a table": `| Name | Price |\n|---|---:|\n${rows((n) => `| Widget ${n} | $${(n * 1.37).toFixed(2)} |`)}`,
  HTML: rows((n) => `<li class="item px-4" data-id="${n}"><a href="/items/${n}?ref=home">Item ${n}</a></li>`),
  Python:
    "async def run(tasks: list[Task]) -> dict[str, bool]:\n    for task in tasks:\n        try:\n            await task()\n",
  SQL: "SELECT u.id, COUNT(o.id) AS order_count FROM users u LEFT JOIN orders o ON o.user_id = u.id WHERE o.paid_at > '2026-01-01';",
};

describe("the token estimate is within 20 % of a tokenizer's count", () => {
  test.each(Object.entries(PROSE))("for %s", (_, text) => expectClose(text));
  test.each(Object.entries(DATA))("for %s", (_, text) => expectClose(text));
  test.each([
    ["TypeScript", Object.values(sources).join("\n")],
    ["CSS", Object.values(styles).join("\n")],
    ["guides", Object.values(guides).join("\n")],
  ])("for this project's own %s", (_, text) => expectClose(text.slice(0, 400_000)));
});

test("the token estimate of an empty text is 0, and cutting a text adds few tokens", () => {
  expect(estimateTokens("")).toBe(0);
  const [text = ""] = Object.values(guides);
  const half = text.length >> 1;
  const parts = estimateTokens(text.slice(0, half)) + estimateTokens(text.slice(half));
  expect(Math.abs(parts - estimateTokens(text))).toBeLessThan(5);
});

describe.skipIf(!inject("fixtures"))("and for texts that nobody here wrote", () => {
  const read = async (path: string) => (await fetch(`${inject("modelServer")}/fixtures/${path}`)).text();

  const readFolder = async (path: string) => {
    const names: string[] = JSON.parse(await read(path));
    return (await Promise.all(names.slice(0, 40).map((name) => read(`${path}/${name}`)))).join("\n");
  };

  test.each([
    ["English conversations", "memory/locomo/conv-26/memory"],
    ["Chinese passages", "memory/cjk/cmrc-zh/memory"],
    ["Japanese passages", "memory/cjk/jsquad-ja/memory"],
  ])("%s", async (_, path) => expectClose(await readFolder(path)));

  test.each([
    ["Chinese and Japanese questions as JSON", "memory/cjk/queries.jsonl"],
    ["attacks", "injection/attacks.jsonl"],
  ])("%s", async (_, path) => expectClose((await read(path)).slice(0, 100_000)));

  test("each of a hundred skills", async () => {
    const expected = (await read("skills/expected.jsonl")).trim().split("\n");
    const paths = expected.map((line) => JSON.parse(line).path as string).slice(0, 100);
    const texts = await Promise.all(paths.map((path) => read(`skills/files/${path}`)));
    const far = texts.filter((text) => text.length > 2000 && Math.abs(ratio(text) - 1) > 0.2);
    expect(far.map((text) => [ratio(text), text.slice(0, 80)])).toEqual([]);
  });
});
