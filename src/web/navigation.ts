import type { IconName } from "./parts/icon.tsx";

/** The entries of the navigation, in order; each page is in `router.tsx` as well. */
export const NAVIGATION = [
  { to: "/overview", label: "Overview", icon: "chart" },
  { to: "/dashboards", label: "Dashboards", icon: "columns" },
  { to: "/requests", label: "Requests", icon: "list" },
  { to: "/sessions", label: "Sessions", icon: "flow" },
  { to: "/users", label: "Users", icon: "people" },
  { to: "/properties", label: "Properties", icon: "tag" },
  { to: "/prompts", label: "Prompts", icon: "star" },
  { to: "/datasets", begins: true, label: "Datasets", icon: "layers" },
  { to: "/scores", label: "Scores", icon: "chart" },
  { to: "/reviews", label: "Review", icon: "check" },
  { to: "/judges", label: "Judges", icon: "gauge" },
  { to: "/playground", label: "Playground", icon: "play" },
  { to: "/models", begins: true, label: "Models", icon: "cube" },
  { to: "/credentials", label: "Credentials", icon: "lock" },
  { to: "/routes", label: "Routes", icon: "fork" },
  { to: "/domains", label: "Domains", icon: "globe" },
  { to: "/limits", label: "Limits", icon: "gauge" },
  { to: "/alerts", label: "Alerts", icon: "bell" },
  { to: "/cache", label: "Cache", icon: "layers" },
  { to: "/plugins", label: "Plugins", icon: "plug" },
  { to: "/keys", begins: true, label: "Keys", icon: "key" },
  { to: "/members", label: "Members", icon: "person" },
  { to: "/audit", label: "Audit", icon: "list" },
  { to: "/organizations", label: "Organizations", icon: "layers" },
  { to: "/storage", label: "Storage", icon: "disk" },
] as const satisfies readonly {
  to: string;
  label: string;
  icon: IconName;
  /** Set for the first of a group. */
  begins?: true;
}[];
