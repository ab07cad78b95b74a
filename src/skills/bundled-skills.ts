import feeds from "./bundled/feeds/SKILL.md";
import feedsFeed from "./bundled/feeds/scripts/feed.sh";
import feedsNew from "./bundled/feeds/scripts/new.sh";
import github from "./bundled/github/SKILL.md";
import githubRequests from "./bundled/github/scripts/gh.sh";
import memoryKeeper from "./bundled/memory-keeper/SKILL.md";
import memoryKeeperCheck from "./bundled/memory-keeper/scripts/check.sh";
import memoryKeeperNote from "./bundled/memory-keeper/scripts/note.sh";
import memoryKeeperRecent from "./bundled/memory-keeper/scripts/recent.sh";
import skillCreatorFormat from "./bundled/skill-creator/references/format.md";
import skillCreator from "./bundled/skill-creator/SKILL.md";
import skillCreatorCheck from "./bundled/skill-creator/scripts/check.sh";
import skillCreatorNew from "./bundled/skill-creator/scripts/new.sh";
import summarize from "./bundled/summarize/SKILL.md";
import summarizeText from "./bundled/summarize/scripts/text.sh";
import weather from "./bundled/weather/SKILL.md";
import weatherReport from "./bundled/weather/scripts/weather.sh";

/** A skill that comes with Isopod. */
export interface BundledSkill {
  /** Its folder, which is also its name. */
  name: string;
  /** Texts by path in its folder; one of them is `SKILL.md`. */
  files: Readonly<Record<string, string>>;
}

/** All bundled skills, by name. */
export const BUNDLED_SKILLS: readonly BundledSkill[] = [
  { name: "feeds", files: { "SKILL.md": feeds, "scripts/feed.sh": feedsFeed, "scripts/new.sh": feedsNew } },
  { name: "github", files: { "SKILL.md": github, "scripts/gh.sh": githubRequests } },
  {
    name: "memory-keeper",
    files: {
      "SKILL.md": memoryKeeper,
      "scripts/check.sh": memoryKeeperCheck,
      "scripts/note.sh": memoryKeeperNote,
      "scripts/recent.sh": memoryKeeperRecent,
    },
  },
  {
    name: "skill-creator",
    files: {
      "SKILL.md": skillCreator,
      "references/format.md": skillCreatorFormat,
      "scripts/check.sh": skillCreatorCheck,
      "scripts/new.sh": skillCreatorNew,
    },
  },
  { name: "summarize", files: { "SKILL.md": summarize, "scripts/text.sh": summarizeText } },
  { name: "weather", files: { "SKILL.md": weather, "scripts/weather.sh": weatherReport } },
];
