import { Marked } from "marked";
import { CSS } from "./style.ts";
import { MARK } from "./words.ts";

export interface Page {
  /** Escaped text. */
  title: string;
  /** What colours the headline: a class of style.ts. */
  kind: string;
  /** Markdown in which everything foreign is escaped. */
  markdown: string;
  /** Where images come from: in the page itself, or files beside it. */
  images: "data:" | "'self' file:";
}

/** A page that asks no other server for anything and runs nothing; `edit` changes its body. */
export function renderPage({ title, kind, markdown, images }: Page, edit = (html: string) => html): string {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; base-uri 'none'; form-action 'none'`;
  const body = new Marked({ gfm: true, async: false }).parse(markdown, { async: false });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${CSS}</style>
</head>
<body class="${kind}">
<main>
${edit(dress(body))}</main>
</body>
</html>
`;
}

const MARK_LABEL: Record<string, string> = {
  [MARK.error]: "error",
  [MARK.regression]: "regression",
  [MARK.inconclusive]: "inconclusive",
  [MARK.pass]: "pass",
  [MARK.note]: "note",
};

/**
 * Tables get a box of their own to scroll in; marks become drawn signs, as not every system has the emoji and as
 * shapes are told apart without colour. Only tags that our own Markdown produced can match: foreign "<" is an entity.
 */
function dress(html: string): string {
  const marks = Object.keys(MARK_LABEL).join("|");
  return html
    .replaceAll("<table>", '<div class="scroll" tabindex="0" role="region" aria-label="table"><table>')
    .replaceAll("</table>", "</table></div>")
    .replace(new RegExp(`(<(?:td|h2)(?: [^>]*)?>)(${marks})`, "gu"), (_, tag: string, mark: string) => {
      const label = MARK_LABEL[mark] ?? "";
      return `${tag.startsWith("<td") ? tag.replace("<td", '<td class="sign"') : tag}<span class="mark ${label}" role="img" aria-label="${label}"></span>`;
    });
}

/** A chart as a picture with its title; `source` is a URL of ours. */
export function figure(id: string, caption: string, source: string): string {
  return `<figure id="${id}"><figcaption>${caption}</figcaption><div class="scroll" tabindex="0" role="region" aria-label="${caption}"><img alt="${caption}" src="${source}"></div></figure>`;
}
