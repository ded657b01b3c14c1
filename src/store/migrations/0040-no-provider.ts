/** A request that was refused before it had a target has no provider. */
export const NO_PROVIDER = ["alter table requests alter column provider to provider text"];
