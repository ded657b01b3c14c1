/** If the focused element has disappeared, keys continue in the page instead of at the top of the window. */
export function keepFocus(): void {
  if (document.activeElement === document.body) document.getElementById("content")?.focus({ preventScroll: true });
}
