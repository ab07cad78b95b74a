import type { ScannedSkills } from "./scanned-skills.ts";

/**
 * Has a quarantine hold for the name, too: who changes an installed skill could else write another one of that name into a folder that
 * comes before it, and nobody would see that something was changed. Of a stronger source it is somebody's own choice, and stays.
 */
export function withQuarantinedNames({ skills, leftOut, quarantined }: ScannedSkills): ScannedSkills {
  const hidden = leftOut.filter(({ code, location }) => code === "shadowed" && quarantined.has(location));
  const shut = new Map(quarantined);
  for (const { name, source, location } of skills) {
    const twin = hidden.find((one) => one.name === name && one.source === source);
    if (twin === undefined || quarantined.has(location)) continue;
    shut.set(
      location,
      `It has the name of ${twin.location}, which is quarantined. Settle that first, or rename this one.`,
    );
  }
  const told = leftOut.map((one) =>
    hidden.includes(one) ? { ...one, code: "quarantined", reason: quarantined.get(one.location) ?? one.reason } : one,
  );
  return { skills, leftOut: told, quarantined: shut };
}
