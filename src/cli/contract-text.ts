/** The contract of providers and plugins as one text of declarations, without imports. */
export async function contractText(): Promise<string> {
  const modules: readonly unknown[] = await Promise.all(CONTRACT.map((load) => load()));
  return modules
    .map((module) => (module as { readonly default: string }).default.replace(/^(?:import type[^;]*;\n)+\n?/, ""))
    .join("\n")
    .replaceAll(/^.*biome-ignore.*\n/gm, "");
}

/** The contract's files as text; each is named here, so that the binary holds it. */
const CONTRACT = [
  () => import("../plugin/contract/json.ts", { with: { type: "text" } }),
  () => import("../plugin/contract/reading.ts", { with: { type: "text" } }),
  () => import("../plugin/contract/embedding.ts", { with: { type: "text" } }),
  () => import("../plugin/contract/endpoint.ts", { with: { type: "text" } }),
  () => import("../plugin/contract/mapping.ts", { with: { type: "text" } }),
  () => import("../plugin/contract/provider.ts", { with: { type: "text" } }),
  () => import("../plugin/contract/prompt.ts", { with: { type: "text" } }),
  () => import("../plugin/contract/answer.ts", { with: { type: "text" } }),
  () => import("../plugin/contract/shape.ts", { with: { type: "text" } }),
  () => import("../plugin/contract/exchange.ts", { with: { type: "text" } }),
  () => import("../plugin/contract/gateway-access.ts", { with: { type: "text" } }),
  () => import("../plugin/contract/plugin.ts", { with: { type: "text" } }),
];
