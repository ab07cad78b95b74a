import { brave } from "./brave.ts";
import { exa } from "./exa.ts";
import { perplexity } from "./perplexity.ts";
import type { SearchProvider } from "./search-provider.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

/** All services, in the order in which the first whose variable is set is taken. */
export const SEARCH_PROVIDERS: readonly SearchProvider[] = [brave, tavily, exa, perplexity, searxng];
