/** An address that a browser on this machine can open: a listener on all addresses is reached at its loopback. */
export function reachable(address: string): string {
  return address.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, "http://localhost");
}
