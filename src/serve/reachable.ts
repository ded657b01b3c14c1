/** An address that a browser on this machine can open: for a listener on all addresses, the loopback address. */
export function reachable(address: string): string {
  return address.replace(/^(https?):\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, "$1://localhost");
}
