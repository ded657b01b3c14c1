/** The domain in ASCII: other alphabets are converted by IDNA. Invisible characters are refused. */
const EMAIL = /^[^\s@<>()",:;\\[\]\p{C}]{1,64}@[a-z0-9]([a-z0-9.-]{0,253}[a-z0-9])?$/u;

/**
 * An e-mail address as it is stored and compared, or undefined if it is invalid.
 *
 * Only ASCII letters are lower-cased: the lower case of some others is an ASCII letter (`K`, the Kelvin sign), and two
 * different addresses would become one.
 */
export function storedEmail(text: string): string | undefined {
  const email = text.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return EMAIL.test(email) ? email : undefined;
}
