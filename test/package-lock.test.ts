import { expect, test } from "vitest";
import text from "../package-lock.json?raw";

interface LockedPackage {
  integrity?: string;
  resolved?: string;
}

const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(text);
/** All but the project itself, whose path is empty. */
const installed = Object.entries(packages).filter(([path]) => path !== "");

test("npm can verify every package that it installs, those of other platforms too", () => {
  expect(installed.length).toBeGreaterThan(100);
  const unverified = installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"));
  expect(unverified.map(([path]) => path)).toEqual([]);
});

test("the lock file names no registry", () => {
  expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});
