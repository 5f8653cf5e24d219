/** Style of report.html: readable at 390 and 1280 px, light and dark, nothing fetched. */
export const CSS = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1f24; --soft: #59636e; --line: #d5dae0; --band: #f5f7f9; --focus: #0969da;
  --red: #c62f2f; --green: #1a7f42; --grey: #6e7781; --amber: #9a6700;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0e1116; --ink: #e3e8ee; --soft: #98a2ae; --line: #2e353e; --band: #161b22; --focus: #58a6ff;
    --red: #ff6a5e; --green: #4cc274; --grey: #98a2ae; --amber: #d9a62e;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
main { max-width: 1200px; margin: 0 auto; padding: 24px 20px 64px; }
h2 { font-size: clamp(1.3rem, 1rem + 1.6vw, 1.9rem); line-height: 1.25; margin: 8px 0 16px; padding-left: 14px; border-left: 5px solid var(--grey); text-wrap: balance; }
.pass h2 { border-color: var(--green); }
.regression h2, .error h2 { border-color: var(--red); }
.inconclusive h2 { border-color: var(--amber); }
p, ul { margin: 12px 0; max-width: 78ch; }
ul { padding-left: 22px; }
li { margin: 6px 0; }
a { color: var(--focus); }
code { font: 0.9em ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; background: var(--band); padding: 1px 5px; border-radius: 4px; }
blockquote { margin: 16px 0; padding: 8px 14px; border-left: 4px solid var(--amber); background: var(--band); border-radius: 0 6px 6px 0; }
blockquote p { margin: 4px 0; }
.quiet { color: var(--soft); }
.scroll { overflow-x: auto; margin: 16px 0; max-width: 100%; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
table { border-collapse: collapse; font-size: 0.875rem; line-height: 1.4; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; border-bottom: 1px solid var(--line); }
th:not([align]) { text-align: left; }
th, td { padding: 7px 12px 7px 0; white-space: nowrap; }
td { border-bottom: 1px solid var(--line); }
td:nth-child(-n+2):not([align="right"], .sign) { white-space: normal; min-width: 8.5em; max-width: 24em; overflow-wrap: break-word; }
td.sign { padding-right: 8px; }
td:nth-child(2):last-child { max-width: 60em; }
tr:last-child td { border-bottom: 0; }
details { border-top: 1px solid var(--line); padding: 4px 0; }
details:last-of-type { border-bottom: 1px solid var(--line); }
summary { cursor: pointer; padding: 10px 0; font-weight: 600; }
summary::marker { color: var(--soft); }
figure { margin: 28px 0; }
figcaption { font-weight: 600; margin-bottom: 4px; }
figure .scroll { margin: 4px 0; }
figure img { display: block; width: 100%; min-width: 680px; max-width: 1100px; height: auto; }
.mark { display: inline-flex; align-items: center; justify-content: center; width: 1.25em; height: 1.25em; border-radius: 50%; color: var(--paper); font-weight: 700; font-size: 0.8em; line-height: 1; vertical-align: 0.05em; }
h2 .mark { margin-right: 0.15em; }
.mark.pass { background: var(--green); } .mark.pass::before { content: "✓"; }
.mark.regression { background: var(--red); border-radius: 3px; } .mark.regression::before { content: "↓"; }
.mark.error { background: var(--red); border-radius: 3px; } .mark.error::before { content: "!"; }
.mark.inconclusive { border: 2px solid var(--amber); color: var(--amber); } .mark.inconclusive::before { content: "?"; }
.mark.note { border: 1px solid var(--line); color: var(--soft); } .mark.note::before { content: "·"; }
@media (max-width: 600px) {
  main { padding: 16px 14px 48px; }
  h2 { padding-left: 10px; }
  table { font-size: 0.8125rem; }
  th, td { padding-right: 9px; }
  td:nth-child(-n+2):not([align="right"], .sign) { min-width: 7.5em; max-width: 14em; overflow-wrap: anywhere; }
}
@media print { details { display: block; } .scroll { overflow: visible; } }
`;
