/** The provider of a target that no provider file describes. */
export const PROVIDER_UNKNOWN = "CUSTOM";

/** The provider whose rules read a record. A request that was refused before it had a target has none. */
export const providerOf = (row: { readonly provider?: string | null | undefined }): string =>
  row.provider ?? PROVIDER_UNKNOWN;
