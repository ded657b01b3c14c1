import type { IconName } from "./parts/icon.tsx";

/** What the navigation shows, in its order; a page is in `router.tsx` as well. */
export const NAVIGATION = [{ to: "/requests", label: "Requests", icon: "list" }] as const satisfies readonly {
  to: string;
  label: string;
  icon: IconName;
}[];
