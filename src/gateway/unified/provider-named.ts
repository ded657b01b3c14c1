import type { ProviderPlugin } from "../../plugin-host/contract.ts";
import { CUSTOM } from "../../routing/custom.ts";
import type { ProviderIndex } from "../target.ts";

/** A provider by its name, `CUSTOM` among them, which pass-through knows as no provider at all. */
export function providerNamed(providers: ProviderIndex, name: string): ProviderPlugin | undefined {
  return name.toUpperCase() === CUSTOM.name ? CUSTOM : providers.providerByName(name);
}
