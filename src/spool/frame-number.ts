const [DOT, ZERO, NINE] = [0x2e, 0x30, 0x39];

/** So many digits are a safe integer, and a time that a Date can have. */
const DIGITS_MAX = 15;
/** Digits of the whole milliseconds from 2001 to 2286. */
const TIME_DIGITS = 13;
/**
 * By the digits behind the point. With so few, no time is halfway between two floating-point numbers: adding the divided
 * fraction gives the one that a parser gives.
 */
const SCALES: readonly (number | undefined)[] = [undefined, 10, 100, 1_000, 10_000];

/** The end of a JSON number without sign and exponent. */
export function numberEnd(frame: Buffer, at: number): number {
  const end = digitsEnd(frame, at);
  return frame[end] === DOT ? digitsEnd(frame, end + 1) : end;
}

function digitsEnd(frame: Buffer, at: number): number {
  let end = at;
  while (frame[end]! >= ZERO && frame[end]! <= NINE) end++;
  return end;
}

/** The count in the bytes `[from, end)`; undefined if only a parser can tell it. */
export function countIn(frame: Buffer, from: number, end: number): number | undefined {
  if (end - from > DIGITS_MAX || end === from || (frame[from] === ZERO && end - from > 1)) return undefined;
  let count = 0;
  for (let at = from; at < end; at++) {
    if (frame[at] === DOT) return undefined;
    count = count * 10 + frame[at]! - ZERO;
  }
  return count;
}

/** The time in the bytes `[from, end)`, in milliseconds; undefined if only a parser can tell it. */
export function timeIn(frame: Buffer, from: number, end: number): number | undefined {
  const point = from + TIME_DIGITS;
  if (end <= point) return countIn(frame, from, end);
  const scale = SCALES[end - point - 1];
  const whole = countIn(frame, from, point);
  if (scale === undefined || whole === undefined || frame[point] !== DOT) return undefined;
  let fraction = 0;
  for (let at = point + 1; at < end; at++) fraction = fraction * 10 + frame[at]! - ZERO;
  return whole + fraction / scale;
}
