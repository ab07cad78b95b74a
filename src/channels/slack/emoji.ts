/** Slack's names of emojis that people react with, in pairs. */
const PAIRS = `
👍 thumbsup 👎 thumbsdown 👌 ok_hand 👏 clap 🙌 raised_hands 🙏 pray 💪 muscle 👋 wave 🤝 handshake ✋ hand 👊 facepunch
✌ v 🤞 crossed_fingers 🤘 the_horns 👇 point_down 👆 point_up_2 👉 point_right 👈 point_left ✍ writing_hand 🫡 saluting_face
🫶 heart_hands 👀 eyes 🧠 brain 😀 grinning 😃 smiley 😄 smile 😁 grin 😆 laughing 😅 sweat_smile 😂 joy 🤣 rolling_on_the_floor_laughing
🙂 slightly_smiling_face 🙃 upside_down_face 😉 wink 😊 blush 😇 innocent 🥰 smiling_face_with_3_hearts 😍 heart_eyes 🤩 star-struck
😘 kissing_heart 😋 yum 😜 stuck_out_tongue_winking_eye 🤗 hugging_face 🤔 thinking_face 🤨 face_with_raised_eyebrow 😐 neutral_face
😏 smirk 🙄 face_with_rolling_eyes 😬 grimacing 😌 relieved 😔 pensive 😴 sleeping 🤒 face_with_thermometer 🤯 exploding_head 🥳 partying_face
😎 sunglasses 🤓 nerd_face 😕 confused 😟 worried 😮 open_mouth 😲 astonished 😳 flushed 🥺 pleading_face 😢 cry 😭 sob 😱 scream 😤 triumph
😡 rage 😠 angry 🤬 face_with_symbols_on_mouth 😈 smiling_imp 💀 skull 💩 hankey 🤡 clown_face 👻 ghost 👽 alien 🤖 robot_face 🤷 shrug
🤦 face_palm ❤ heart 🧡 orange_heart 💛 yellow_heart 💚 green_heart 💙 blue_heart 💜 purple_heart 🖤 black_heart 💔 broken_heart 💕 two_hearts
💯 100 💥 boom 🔥 fire ✨ sparkles ⭐ star 🌟 star2 🎉 tada 🎊 confetti_ball 🎈 balloon 🎁 gift 🏆 trophy 🥇 first_place_medal 🎯 dart 🚀 rocket
✅ white_check_mark ✔ heavy_check_mark ☑ ballot_box_with_check ❌ x ❎ negative_squared_cross_mark ⛔ no_entry 🚫 no_entry_sign ⚠ warning
🚨 rotating_light ❓ question ❗ exclamation 💡 bulb 🔔 bell 🔒 lock 🔓 unlock 🔑 key 🔍 mag 🔧 wrench 🔨 hammer ⚙ gear 🐛 bug 📌 pushpin
📎 paperclip 📝 memo 📄 page_facing_up 📁 file_folder 📅 date 📈 chart_with_upwards_trend 📉 chart_with_downwards_trend 📊 bar_chart
📣 mega 📧 e-mail 📞 telephone_receiver 💬 speech_balloon 💭 thought_balloon ⏳ hourglass_flowing_sand ⌛ hourglass ⏰ alarm_clock ⏱ stopwatch
🔄 arrows_counterclockwise ⬆ arrow_up ⬇ arrow_down ➡ arrow_right ⬅ arrow_left ➕ heavy_plus_sign ➖ heavy_minus_sign 🟢 large_green_circle
🟡 large_yellow_circle 🔴 red_circle 🔵 large_blue_circle ☕ coffee 🍕 pizza 🍰 cake 🎂 birthday 🍺 beer 🍻 beers 🍾 champagne 🌈 rainbow ☀ sunny
🌙 crescent_moon 🌍 earth_africa 🌱 seedling 🌹 rose 🐱 cat 🐶 dog 🦄 unicorn_face 🐢 turtle 🐌 snail 🙈 see_no_evil 🙉 hear_no_evil 🙊 speak_no_evil
`;

const words = PAIRS.trim().split(/\s+/);
const NAMES: ReadonlyMap<string, string> = new Map(
  words.flatMap((word, n) => (n % 2 === 0 ? [[word, words[n + 1] ?? ""] as const] : [])),
);

/** The first of the five skin tones, which Slack numbers from 2. */
const FIRST_TONE = 0x1f3fb;

/** Slack's name of an emoji, of its own (`:name:`) too; undefined where it is not known. */
export function emojiName(emoji: string): string | undefined {
  const named = /^:?([a-z0-9_+'-]+(?:::skin-tone-[2-6])?):?$/.exec(emoji)?.[1];
  if (named !== undefined) return named;
  const tone = /[\u{1f3fb}-\u{1f3ff}]/u.exec(emoji)?.[0];
  const name = NAMES.get(emoji.replace(/[\u{1f3fb}-\u{1f3ff}\ufe0f]/gu, ""));
  if (name === undefined || tone === undefined) return name;
  return `${name}::skin-tone-${(tone.codePointAt(0) ?? FIRST_TONE) - FIRST_TONE + 2}`;
}
