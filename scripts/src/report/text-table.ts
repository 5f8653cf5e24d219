import { textWidth } from "./terminal.ts";

/** Rows of text in columns, two spaces apart; a title that begins with ">" stands over a column of numbers. */
export function textTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const right = titles.map((title) => title.startsWith(">"));
  const all = [titles.map((title) => title.replace(/^>/, "")), ...rows];
  const widths = titles.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ""))));
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => {
        const text = row[column] ?? "";
        const space = " ".repeat(width - textWidth(text));
        return right[column] ? space + text : text + space;
      })
      .join("  ")
      .trimEnd();
  return all.map(line).join("\n");
}
