import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Marked } from "marked";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Verdict } from "../../src/core/model.ts";
import { putComment } from "../../src/github/comment.ts";
import { type CommentContext, renderComment } from "../../src/report/comment.ts";
import { INPUTS } from "../report/support.ts";
import { apiTo, HEAD, OLDER, startServer } from "./world.ts";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
/** Keep the pictures: SCREENSHOTS=DIR. */
const SCREENSHOTS = process.env["SCREENSHOTS"];
const CSS = readFileSync(createRequire(import.meta.url).resolve("github-markdown-css/github-markdown.css"), "utf8");

const title =
  CHROMIUM === undefined ? "comment in Chromium (skipped: chromium is not installed)" : "comment in Chromium";

describe.skipIf(CHROMIUM === undefined)(title, () => {
  let browser: Browser;

  beforeAll(async () => {
    const flags = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking";
    browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: flags.split(" ") });
  });
  afterAll(async () => await browser?.close());

  const ACCEPTED = { label: "perf-regression-accepted", by: "anna", at: "2026-03-04T10:20:30Z", commit: HEAD };

  /** The comment after each of these runs, as the server has it. */
  async function afterRuns(names: readonly string[], last: Partial<CommentContext> = {}): Promise<string[]> {
    const server = await startServer();
    const bodies: string[] = [];
    for (const [at, name] of names.entries()) {
      const input = INPUTS[name]?.();
      if (input === undefined) throw new Error(`no input ${name}`);
      const verdict: Verdict = input.comparison.verdict;
      const over = at === names.length - 1 ? last : {};
      await putComment(apiTo(server), {
        pull: 12,
        key: "perf-gate",
        policy: "always",
        now: { commit: at === 0 ? OLDER : HEAD, verdict, accepted: over.accepted != null, run: 100 + at },
        render: (runs, bytes) => {
          const past = runs.map((run) => ({ ...run, url: `https://github.example/octo/shop/actions/runs/${run.run}` }));
          const context = { accepted: null, notes: [], runs: past, base: "main", name: "perf-gate", ...over };
          return renderComment(input, context, bytes);
        },
      });
      bodies.push(server.state.comments[0]?.body ?? "");
    }
    await server.stop();
    expect(server.state.comments).toHaveLength(1);
    return bodies;
  }

  const frame = (body: string) => `<!doctype html><meta charset="utf-8"><style>${CSS}
    body { margin: 0; padding: 16px; font-family: sans-serif; background: var(--bgColor-muted); }
    .box { max-width: 860px; margin: auto; border: 1px solid var(--borderColor-default); border-radius: 6px; overflow: hidden; }
    .top { padding: 8px 16px; background: var(--bgColor-muted); border-bottom: 1px solid var(--borderColor-default); font-size: 14px; }
    .markdown-body { padding: 16px; font-size: 14px; }</style>
    <body class="markdown-body" style="padding: 16px"><div class="box"><div class="top"><b>github-actions</b> bot commented</div>
    <div class="markdown-body">${new Marked({ gfm: true }).parse(body, { async: false })}</div></div></body>`;

  const LOOK = `({
    marker: document.body.innerText.includes("perf-gate comment="),
    heading: document.querySelector("h2").innerText,
    open: document.body.innerText,
    tables: [...document.querySelectorAll("table")].filter((table) => table.checkVisibility()).length,
    details: document.querySelectorAll("details").length,
    scroll: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    scripts: document.querySelectorAll("script, iframe, img").length,
  })`;
  interface Look {
    marker: boolean;
    heading: string;
    open: string;
    tables: number;
    details: number;
    scroll: number;
    scripts: number;
  }

  async function look(name: string, body: string, width = 1000): Promise<Look> {
    const context = await browser.newContext({ viewport: { width, height: 300 } });
    const page = await context.newPage();
    await page.setContent(frame(body));
    for (const colorScheme of SCREENSHOTS === undefined ? [] : (["light", "dark"] as const)) {
      await page.emulateMedia({ colorScheme });
      const path = join(SCREENSHOTS ?? "", `comment-${name}-${width}-${colorScheme}.png`);
      await page.screenshot({ path, fullPage: true });
    }
    const seen = await page.evaluate<Look>(LOOK);
    await context.close();
    return seen;
  }

  test("before and after an update: red and open, then green and folded, with the run before", async () => {
    const [before = "", after = ""] = await afterRuns(["red", "green"]);
    const red = await look("before", before);
    expect(red).toMatchObject({ marker: false, tables: 1, scroll: 0, scripts: 0 });
    expect(red.heading).toBe("🔴 Slower: 2 of 8 cells lost more than the allowed 5% QPS");
    expect(red.open).not.toContain("Last runs");
    const green = await look("after", after);
    expect(green).toMatchObject({ marker: false, tables: 0, scroll: 0 });
    expect(green.heading).toMatch(/^🟢 Not slower/);
    expect(green.open).toContain("Last runs: 🔴 0000000 · 🟢 aaaaaaa");
    expect(green.details).toBeGreaterThan(1);
    for (const [name, body] of [
      ["before", before],
      ["after", after],
    ] as const) {
      expect(await look(name, body, 390)).toMatchObject({ scroll: 0 });
    }
  });

  test("accepted, from a fork, on a phone", async () => {
    const notes = ["Measured by the code of this pull request, in a job without rights."];
    const [, after = ""] = await afterRuns(["inconclusive", "red"], { accepted: ACCEPTED, notes });
    const seen = await look("accepted", after, 390);
    expect(seen.heading).toMatch(/^🟡 Accepted. Slower/);
    expect(seen.open).toContain("Accepted by anna, who set the label “perf-regression-accepted”");
    expect(seen.scroll).toBe(0);
  });

  test("hostile names are letters", async () => {
    const [body = ""] = await afterRuns(["hostile"]);
    const seen = await look("hostile", body);
    expect(seen.scripts).toBe(0);
    expect(seen.open).toContain("<script>alert(1)</script>");
    expect(seen.open).not.toMatch(/&#\d+;/);
  });
});
