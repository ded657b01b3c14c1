/** The contract of providers and plugins as one text of declarations, without imports. */
export async function contractText(): Promise<string> {
  const modules: readonly unknown[] = await Promise.all(CONTRACT.map((load) => load()));
  return modules
    .map((module) => (module as { readonly default: string }).default.replace(/^(?:import type[^;]*;\n)+\n?/, ""))
    .join("\n")
    .replaceAll(/^.*biome-ignore.*\n/gm, "");
}

/** The contract's files as text, each imported by name so that the binary contains it. */
const CONTRACT = [
  () => import("../plugin-host/contract/json.ts", { with: { type: "text" } }),
  () => import("../plugin-host/contract/reading.ts", { with: { type: "text" } }),
  () => import("../plugin-host/contract/embedding.ts", { with: { type: "text" } }),
  () => import("../plugin-host/contract/endpoint.ts", { with: { type: "text" } }),
  () => import("../plugin-host/contract/mapping.ts", { with: { type: "text" } }),
  () => import("../plugin-host/contract/provider.ts", { with: { type: "text" } }),
  () => import("../plugin-host/contract/prompt.ts", { with: { type: "text" } }),
  () => import("../plugin-host/contract/answer.ts", { with: { type: "text" } }),
  () => import("../plugin-host/contract/shape.ts", { with: { type: "text" } }),
  () => import("../plugin-host/contract/exchange.ts", { with: { type: "text" } }),
  () => import("../plugin-host/contract/gateway-access.ts", { with: { type: "text" } }),
  () => import("../plugin-host/contract/plugin.ts", { with: { type: "text" } }),
];
