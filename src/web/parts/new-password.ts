/** The API's minimum: the rule is in `people/password.ts`, and a test compares the two. */
export const PASSWORD_MIN = 12;

export interface WrongPassword {
  readonly name: "password" | "repeated";
  readonly text: string;
}

/** The reason why the API would refuse a new password, as far as the browser can check it, or undefined. */
export function whyNoPassword(password: string, repeated: string): WrongPassword | undefined {
  if ([...password].length < PASSWORD_MIN) return { name: "password", text: `Use ${PASSWORD_MIN} characters or more.` };
  if (password !== repeated) return { name: "repeated", text: "The two passwords differ." };
  return undefined;
}
