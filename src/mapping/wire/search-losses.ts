import type { Loss, Prompt, SearchTool } from "../../plugin/contract.ts";

/** A wish of a web search, as prompts name it. */
type Wish = "contextSize" | "location" | "allowedDomains" | "blockedDomains" | "maxUses";

const MEMBERS: Readonly<Record<Wish, string>> = {
  contextSize: "search_context_size",
  location: "user_location",
  allowedDomains: "allowed_domains",
  blockedDomains: "blocked_domains",
  maxUses: "max_uses",
};

/** What a search loses at an API that has no place for some of its wishes. */
export function searchLosses(tool: SearchTool, { shape }: Prompt, lacking: readonly Wish[]): Loss[] {
  return lacking
    .filter((wish) => tool[wish] !== undefined)
    .map((wish) => {
      const inFilters = wish === "allowedDomains" && shape !== "messages";
      return { kind: "dropped", path: `${tool.at ?? "tools"}.${inFilters ? "filters." : ""}${MEMBERS[wish]}` };
    });
}
