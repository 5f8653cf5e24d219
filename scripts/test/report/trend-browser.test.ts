import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HistoryRecord } from "../../src/core/record.ts";
import { openStore } from "../../src/history/store.ts";
import { trendPhase } from "../../src/phases/trend.ts";
import { history } from "../history-fixtures.ts";
import { CHROMIUM, contrast, FLAGS } from "./chromium.ts";

const HOME = fileURLToPath(new URL("../../..", import.meta.url));
/** Keep the pictures: SCREENSHOTS=DIR. */
const SCREENSHOTS = process.env["SCREENSHOTS"];
const GITHUB = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "owner/name" };

const EVIL = `<script>alert("x")</script> | \`a\` [b](https://evil.example) a_name_without_any_place_to_break_it @20`;

const RECORDS: Record<string, () => HistoryRecord[]> = {
  steps: () =>
    history({
      nights: 120,
      cells: ["home @20", "checkout, persistent @100", "search @5"],
      level: (night, cell) => (night < 70 ? 0 : cell.startsWith("search") ? 0.08 : -0.07),
      change: (record, night) =>
        night % 17 === 5
          ? null
          : night < 100
            ? record
            : {
                ...record,
                conditions: { ...record.conditions, must: { ...record.conditions.must, php: "8.5" } },
              },
    }),
  hostile: () =>
    history({
      nights: 40,
      cells: [EVIL, "plain @1"],
      level: (night) => (night < 20 ? 0 : -0.2),
      change: (record) => ({ ...record, anchor: { ...record.anchor, label: "v1|<b>4</b>" } }),
    }),
  "one record": () => history({ nights: 1 }),
  long: () => history({ nights: 2000, level: (night) => (night % 500 < 250 ? 0 : -0.05) }),
};

const title = `trend page in Chromium${CHROMIUM === undefined ? " (skipped: chromium is not installed)" : ""}`;

describe.skipIf(CHROMIUM === undefined)(title, () => {
  let browser: Browser;
  let directory = "";
  const written = new Map<string, string>();

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "trend-page-"));
    browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: FLAGS });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** index.html of the records, with its charts beside it. */
  async function write(name: string): Promise<string> {
    const known = written.get(name);
    if (known !== undefined) return known;
    const output = join(directory, name);
    const file = join(directory, `${name}.ndjson`);
    writeFileSync(file, (RECORDS[name]?.() ?? []).map((record) => `${JSON.stringify(record)}\n`).join(""));
    const store = openStore(file, { directory, env: {} });
    const { chartsNote } = await trendPhase({ store, branch: null, output }, HOME, GITHUB, "2026-05-02T04:00:00Z");
    expect(chartsNote).toBeNull();
    const page = join(output, "index.html");
    written.set(name, page);
    return page;
  }

  const SIZE = `({
    inner: window.innerWidth,
    scroll: document.documentElement.scrollWidth,
    charts: [...document.querySelectorAll("figure img")].map((image) => image.complete && image.naturalWidth > 0 ? image.height : 0),
    scripts: document.querySelectorAll("script").length,
    paper: getComputedStyle(document.body).backgroundColor,
    colours: Object.fromEntries(["body", "a", ".quiet", "th", "summary", "blockquote"].flatMap((selector) => {
      const element = document.querySelector(selector);
      return element === null ? [] : [[selector, getComputedStyle(element).color]];
    })),
  })`;
  interface Size {
    inner: number;
    scroll: number;
    charts: number[];
    scripts: number;
    paper: string;
    colours: Record<string, string>;
  }

  test.each([
    ["steps", 390, "light", 3],
    ["steps", 390, "dark", 3],
    ["steps", 1280, "light", 3],
    ["steps", 1280, "dark", 3],
    ["hostile", 390, "dark", 2],
    ["hostile", 1280, "light", 2],
    ["one record", 390, "light", 1],
    ["long", 1280, "dark", 1],
  ] as const)("%s at %i px, %s", async (name, width, colorScheme, charts) => {
    const file = await write(name);
    const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme });
    const page = await context.newPage();
    const said: string[] = [];
    const asked: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`file://${file}`);
    await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
    const size = await page.evaluate<Size>(SIZE);
    if (SCREENSHOTS !== undefined) {
      await page.screenshot({ path: join(SCREENSHOTS, `trend-${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
    expect(size.scroll).toBe(size.inner);
    expect(size.charts).toHaveLength(charts);
    for (const height of size.charts) expect(height).toBeGreaterThan(150);
    expect(size.scripts).toBe(0);
    expect(said).toEqual([]);
    // The page and its charts, from where it is, and nothing else.
    const folder = new URL(".", `file://${file}`).href;
    expect(asked).toHaveLength(1 + charts);
    for (const url of asked) expect(url.startsWith(folder)).toBe(true);
    for (const [element, colour] of Object.entries(size.colours)) {
      expect(contrast(colour, size.paper), element).toBeGreaterThan(4.5);
    }
    await context.close();
  });

  test("charts follow the page into the dark", async () => {
    const file = await write("steps");
    const pictures: Buffer[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 844 }, colorScheme });
      const page = await context.newPage();
      await page.goto(`file://${file}`);
      pictures.push(await page.locator("figure img").first().screenshot());
      await context.close();
    }
    expect(pictures[0]?.equals(pictures[1] as Buffer)).toBe(false);
  });
});
