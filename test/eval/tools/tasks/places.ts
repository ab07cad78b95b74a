/** Monday evening, where the users live. */
export const BERLIN = { clock: "2026-11-23T20:15:00+01:00", zone: "Europe/Berlin" };
export const SHANGHAI = { clock: "2026-11-23T20:15:00+08:00", zone: "Asia/Shanghai" };
