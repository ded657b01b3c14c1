/** The domain in ASCII: another alphabet is written as IDNA does. No character that cannot be seen. */
const EMAIL = /^[^\s@<>()",:;\\[\]\p{C}]{1,64}@[a-z0-9]([a-z0-9.-]{0,253}[a-z0-9])?$/u;

/**
 * An e-mail address as it is stored and compared, or undefined where it is none.
 *
 * ASCII letters alone are lowered: the lower case of some others is an ASCII letter (`K`, the Kelvin sign), and two
 * addresses that differ would be one.
 */
export function storedEmail(text: string): string | undefined {
  const email = text.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return EMAIL.test(email) ? email : undefined;
}
