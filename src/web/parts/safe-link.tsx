import type { ReactNode } from "react";

/** A link from recorded contents: opened only if it is a web address, and without a referrer; otherwise its text. */
export function SafeLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  if (!isWeb(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function isWeb(href: string): boolean {
  return URL.canParse(href) && /^https?:$/.test(new URL(href).protocol);
}
