/** What stands for the provider of a target that no provider's file describes. */
export const PROVIDER_UNKNOWN = "CUSTOM";

/** The provider that reads a record. A request that was refused before it had a target has none. */
export const providerOf = (row: { readonly provider?: string | null | undefined }): string =>
  row.provider ?? PROVIDER_UNKNOWN;
