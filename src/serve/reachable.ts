/** An address that a browser on this machine can open: a listener on all addresses is reached at its loopback. */
export function reachable(address: string): string {
  return address.replace(/^(https?):\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, "$1://localhost");
}
