/** Where what had the focus has gone, keys continue in the page, and not at the top of the window. */
export function keepFocus(): void {
  if (document.activeElement === document.body) document.getElementById("content")?.focus({ preventScroll: true });
}
