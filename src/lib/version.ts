import { version } from "../../package.json";

/** The running version of Isopod. */
export const VERSION: string = version;
