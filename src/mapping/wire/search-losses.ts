import type { Loss, Prompt, SearchTool } from "../../plugin-host/contract.ts";

/** An option of a web search, as named in prompts. */
type Wish = "contextSize" | "location" | "allowedDomains" | "blockedDomains" | "maxUses";

const MEMBERS: Readonly<Record<Wish, string>> = {
  contextSize: "search_context_size",
  location: "user_location",
  allowedDomains: "allowed_domains",
  blockedDomains: "blocked_domains",
  maxUses: "max_uses",
};

/** The losses of a search at an API that lacks some of its options. */
export function searchLosses(tool: SearchTool, { shape }: Prompt, lacking: readonly Wish[]): Loss[] {
  return lacking
    .filter((wish) => tool[wish] !== undefined)
    .map((wish) => {
      const inFilters = wish === "allowedDomains" && shape !== "messages";
      return { kind: "dropped", path: `${tool.at ?? "tools"}.${inFilters ? "filters." : ""}${MEMBERS[wish]}` };
    });
}
