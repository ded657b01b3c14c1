interface Sizes {
  readonly size_bytes: number | null;
  readonly stored_bytes?: number | null;
  readonly total_tokens: number | null;
}

/** The bytes of the bodies as they were sent. Files of other products do not say it: a record with tokens or a stored body then has 0, which is unknown. */
export function sentBytes({ size_bytes, stored_bytes, total_tokens }: Sizes): number | null {
  return size_bytes === 0 && (stored_bytes || total_tokens) ? null : size_bytes;
}
