import { createRequire as __createRequire } from "node:module";
const require = __createRequire(import.meta.url);
import {
  textWidth
} from "./shared-details.js";

// scripts/src/report/text-table.ts
function textTable(titles, rows) {
  const right = titles.map((title) => title.startsWith(">"));
  const all = [titles.map((title) => title.replace(/^>/, "")), ...rows];
  const widths = titles.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ""))));
  const line = (row) => widths.map((width, column) => {
    const text = row[column] ?? "";
    const space = " ".repeat(width - textWidth(text));
    return right[column] ? space + text : text + space;
  }).join("  ").trimEnd();
  return all.map(line).join("\n");
}

export {
  textTable
};
