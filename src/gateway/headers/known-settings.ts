/** Every known `Gateway-*` header, by the part after the prefix in lower case, in its canonical spelling. */
export const KNOWN_SETTINGS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...["Auth", "Request-Id", "Target-Url", "Target-Provider"],
    ...["User-Id", "Session-Id", "Session-Name", "Session-Path", "Prompt-Id", "Prompt-Version"],
    ...["Model-Override", "Node-Id", "Job-Id", "Experiment-Id", "Omit-Request", "Omit-Response"],
    ...["Cache-Enabled", "Cache-Read", "Cache-Save", "Cache-Seed", "Cache-Bucket-Max-Size", "Cache-Ignore-Keys"],
    ...["RateLimit-Policy", "Retry-Enabled", "Retry-Num", "Retry-Factor", "Retry-Min-Timeout", "Retry-Max-Timeout"],
    ...["Fallbacks", "Model", "Unsupported", "Body-Mapping", "Gateway-Body-Mapping", "Provider-Key"],
  ].map((name) => [name.toLowerCase(), `Gateway-${name}`]),
);

/** Prefixes of settings that carry a name chosen by the client. */
export const NAMED_SETTINGS = ["property-", "prompt-input-", "provider-key-"];
