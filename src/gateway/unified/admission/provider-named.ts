import type { ProviderPlugin } from "../../../plugin-host/contract.ts";
import { CUSTOM } from "../../../routing/custom.ts";
import type { ProviderIndex } from "../../target.ts";

/** A provider by name, including `CUSTOM`, which is not a provider in pass-through. */
export function providerNamed(providers: ProviderIndex, name: string): ProviderPlugin | undefined {
  return name.toUpperCase() === CUSTOM.name ? CUSTOM : providers.providerByName(name);
}
