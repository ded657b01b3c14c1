/** Styles of the reference; the page's policy allows them by hash. */
export const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#18222c, #dde5ec); --muted: light-dark(#53616e, #97a6b3); --line: light-dark(#dfe5ea, #26313a);
  --accent: light-dark(#0b5c94, #74bdf2); --ground: light-dark(#fff, #0d1216); --sunken: light-dark(#f0f4f7, #161e25) }
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { display: grid; grid-template-columns: 16rem minmax(0, 56rem); gap: 2.5rem; margin: 0; font: 15px/1.55 system-ui, sans-serif; color: var(--text); background: var(--ground) }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.2rem; border-right: 1px solid var(--line); font-size: 13px }
nav ul { margin: .1rem 0 .6rem; padding: 0; list-style: none } nav li { margin: .15rem 0 } nav summary { margin-top: .5rem; font-weight: 600 }
main { padding: 1.2rem 1.2rem 6rem 0; min-width: 0 }
h1 { margin: 0; font-size: 1.6rem } h2 { margin: 3rem 0 0; padding-bottom: .3rem; border-bottom: 1px solid var(--line); font-size: 1.25rem }
h3 { margin: 0; font-size: 1rem } h3 a { color: inherit } section { margin-top: 1.8rem } section:target h3 { color: var(--accent) }
p { margin: .35rem 0 } a { color: var(--accent); text-decoration: none } a:hover, p a { text-decoration: underline }
code, pre { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere } pre { padding: .7rem; overflow-x: auto; border-radius: 6px; background: var(--sunken); overflow-wrap: normal }
.call { padding: .35rem .7rem; border-radius: 6px; background: var(--sunken) } .method { display: inline-block; min-width: 4rem; font-weight: 700; color: var(--accent) }
.table { margin: .6rem 0; overflow-x: auto } table { width: 100%; border-collapse: collapse; font-size: 14px }
th, td { padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top } th { color: var(--muted); font-weight: 550; font-size: 12px }
td:first-child { min-width: 11rem } strong { color: var(--muted); font-weight: 550; font-size: 12px } summary { cursor: pointer; color: var(--muted) }
.try form { display: grid; gap: .5rem; margin: .5rem 0; padding: .8rem; border: 1px solid var(--line); border-radius: 6px } .try label { display: grid; gap: .2rem; font-size: 13px; color: var(--muted) }
.try input, .try textarea, .try button { font: 13px/1.5 ui-monospace, monospace; padding: .35rem .5rem; border: 1px solid var(--muted); border-radius: 5px; color: var(--text); background: var(--ground) }
.try button { justify-self: start; cursor: pointer; font-family: inherit } .try output { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30rem; overflow-y: auto }
@media (max-width: 860px) { body { display: block; padding: 0 1rem } nav { position: static; height: auto; max-height: 14rem; border: 0; border-bottom: 1px solid var(--line); padding: 1rem 0 } main { padding: 1rem 0 4rem } }
`;
