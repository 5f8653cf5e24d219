import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHARTS, renderHtml } from "../../src/report/html.ts";
import { CHROMIUM, contrast, FLAGS } from "./chromium.ts";
import { INPUTS } from "./support.ts";

const DRAW = join(dirname(fileURLToPath(import.meta.url)), "../../charts/charts.sh");
/** Keep the pictures: SCREENSHOTS=DIR. */
const SCREENSHOTS = process.env["SCREENSHOTS"];

const title =
  CHROMIUM === undefined ? "report.html in Chromium (skipped: chromium is not installed)" : "report.html in Chromium";

describe.skipIf(CHROMIUM === undefined)(title, () => {
  let browser: Browser;
  let directory = "";

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "report-html-"));
    browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: FLAGS });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** report.html of an input with its charts, on disk. */
  const written = new Map<string, string>();
  function write(name: string): string {
    const known = written.get(name);
    if (known !== undefined) return known;
    const input = INPUTS[name]?.();
    if (input === undefined) throw new Error(`no input ${name}`);
    const comparison = join(directory, `${name}.json`);
    const out = join(directory, name);
    writeFileSync(comparison, JSON.stringify(input.comparison));
    const drawn = spawnSync(DRAW, [comparison, out], { encoding: "utf8" });
    expect(drawn.stderr).toBe("");
    const charts = CHARTS.map((chart) => ({ ...chart, svg: readFileSync(join(out, `${chart.name}.svg`), "utf8") }));
    const file = join(directory, `${name}.html`);
    writeFileSync(file, renderHtml(input, charts));
    written.set(name, file);
    return file;
  }

  async function open(file: string, width: number, colorScheme: "light" | "dark") {
    const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme });
    const page = await context.newPage();
    const said: string[] = [];
    const asked: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    page.on("dialog", (dialog) => {
      said.push(dialog.message());
      dialog.dismiss().catch(() => {});
    });
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`file://${file}`);
    await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
    return { context, page, said, asked };
  }

  /** What of the page is measured; evaluated as text, as the types here are not a browser's. */
  const SIZE = `({
    inner: document.documentElement.clientWidth,
    scroll: document.documentElement.scrollWidth,
    charts: [...document.images].map((image) => ({
      loaded: image.complete && image.naturalWidth > 0,
      height: image.getBoundingClientRect().height,
    })),
    scripts: document.scripts.length,
    colours: Object.fromEntries(["h2", "p", "th", "td", "figcaption", "summary"].map((query) =>
      [query, getComputedStyle(document.querySelector(query)).color])),
    paper: getComputedStyle(document.body).backgroundColor,
  })`;
  interface Size {
    inner: number;
    scroll: number;
    charts: { loaded: boolean; height: number }[];
    scripts: number;
    colours: Record<string, string>;
    paper: string;
  }

  test.each([
    ["red", 390, "light"],
    ["red", 390, "dark"],
    ["red", 1280, "light"],
    ["red", 1280, "dark"],
    ["green", 390, "dark"],
    ["green", 1280, "light"],
    ["inconclusive", 390, "light"],
    ["hostile", 390, "light"],
    ["hostile", 1280, "dark"],
    ["hundred", 390, "dark"],
  ] as const)("%s at %i px, %s", async (name, width, scheme) => {
    const { context, page, said, asked } = await open(write(name), width, scheme);
    const size = await page.evaluate<Size>(SIZE);
    if (SCREENSHOTS !== undefined) {
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${scheme}.png`), fullPage: true });
    }
    expect(size.scroll).toBe(size.inner);
    expect(size.charts).toHaveLength(3);
    for (const chart of size.charts) {
      expect(chart.loaded).toBe(true);
      expect(chart.height).toBeGreaterThan(150);
    }
    expect(size.scripts).toBe(0);
    expect(said).toEqual([]);
    expect(asked.filter((url) => !url.startsWith("data:"))).toHaveLength(1);
    for (const [element, colour] of Object.entries(size.colours)) {
      expect(contrast(colour, size.paper), element).toBeGreaterThan(4.5);
    }
    await context.close();
  });

  test("charts follow the page into the dark", async () => {
    const file = write("red");
    const picture = async (scheme: "light" | "dark") => {
      const { context, page } = await open(file, 1280, scheme);
      const shot = await page.locator("figure img").first().screenshot();
      await context.close();
      return shot;
    };
    expect((await picture("light")).equals(await picture("dark"))).toBe(false);
  });
});
