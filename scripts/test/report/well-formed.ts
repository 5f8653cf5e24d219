import { expect } from "vitest";

/** Every tag closed in order, every attribute once: what a parser of XML refuses otherwise. */
export function expectWellFormed(svg: string): void {
  const open: string[] = [];
  const body = svg.replace(/<\?xml[^>]*\?>/, "").replace(/<!--[\s\S]*?-->/g, "");
  for (const [tag, close, name = "", attributes = "", self] of body.matchAll(
    /<(\/?)([A-Za-z]+)((?:"[^"]*"|'[^']*'|[^'">])*?)(\/?)>/g,
  )) {
    if (close === "/") expect(open.pop(), tag).toBe(name);
    else if (self !== "/") open.push(name);
    const keys = [...attributes.matchAll(/([\w:-]+)\s*=\s*["']/g)].map((match) => match[1]);
    expect(new Set(keys).size, tag).toBe(keys.length);
  }
  expect(open).toEqual([]);
  expect(body.replace(/&(?:amp|lt|gt|quot|apos|#\d+);/g, "")).not.toContain("&");
}
