/** A request that was refused before its target was known has no provider. */
export const NO_PROVIDER = ["alter table requests alter column provider to provider text"];
