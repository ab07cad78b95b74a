import { version } from "../../package.json";

/** The version of Isopod that is running. */
export const VERSION: string = version;
