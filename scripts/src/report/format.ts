/** Numbers as people read them. No locale is asked: the same number gives the same text everywhere. */

/** Stands for a number that is not there: null, NaN, infinite. */
export const ABSENT = "–";
const MINUS = "−";

type Maybe = number | null | undefined;

function isNumber(value: Maybe): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** `digits` decimals, thousands separated by commas, a real minus sign, never "−0". */
export function decimal(value: Maybe, digits = 0): string {
  if (!isNumber(value)) return ABSENT;
  const [whole = "0", fraction] = Math.abs(value).toFixed(digits).split(".");
  const text = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (fraction === undefined ? "" : `.${fraction}`);
  return value < 0 && /[1-9]/.test(text) ? MINUS + text : text;
}

/** Three significant digits, all digits of the whole part: 0.239, 8.20, 12.9, 1,204. */
export function significant(value: Maybe): string {
  if (!isNumber(value)) return ABSENT;
  if (value === 0) return "0";
  // Rounded first: 9.996 is 10.0, not 10.00.
  const rounded = Number(Math.abs(value).toPrecision(3));
  const digits = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(rounded))));
  return decimal(value, digits);
}

/** Requests per second: whole numbers from 100 on, three significant digits below. */
export function qps(value: Maybe): string {
  return isNumber(value) && value >= 99.95 ? decimal(value) : significant(value);
}

/** A latency without its unit, ms. */
export function ms(value: Maybe): string {
  return significant(value);
}

/** A share or margin without sign: 0.05 is "5%", 0.125 is "12.5%". */
export function percent(share: Maybe): string {
  if (!isNumber(share)) return ABSENT;
  const value = Math.abs(share) * 100;
  return `${decimal(value, Math.abs(value - Math.round(value)) < 0.05 ? 0 : 1)}%`;
}

/** Always one decimal, without sign: for measured changes in prose. */
export function percentMeasured(share: Maybe): string {
  return isNumber(share) ? `${decimal(Math.abs(share) * 100, 1)}%` : ABSENT;
}

/** A change with its sign and without the percent sign: −17.8, +0.9, 0.0. */
export function signed(share: Maybe): string {
  if (!isNumber(share)) return ABSENT;
  const value = share * 100;
  const text = decimal(value, Math.abs(value) >= 999.5 ? 0 : 1);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** A change with its sign: −17.8%, +0.9%, 0.0%. */
export function signedPercent(share: Maybe): string {
  return isNumber(share) ? `${signed(share)}%` : ABSENT;
}

/** A margin with its sign and as few digits as it needs: −5%, +20%, +12.5%. */
export function margin(change: number): string {
  return `${change < 0 ? MINUS : "+"}${percent(change)}`;
}

/** Bytes in binary units: 74 B, 1.50 KiB, 38.1 MiB. */
export function bytes(value: Maybe): string {
  if (!isNumber(value)) return ABSENT;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let amount = Math.abs(value);
  let unit = 0;
  while (amount >= 1023.5 && unit < units.length - 1) {
    amount /= 1024;
    unit++;
  }
  const text = unit === 0 ? decimal(amount) : significant(amount);
  return `${value < 0 ? MINUS : ""}${text} ${units[unit]}`;
}

/** A length of time, from s: 0.4 s, 45 s, 6 min 12 s, 1 h 02 min. */
export function duration(seconds: Maybe): string {
  if (!isNumber(seconds)) return ABSENT;
  if (seconds < 9.95) return `${decimal(seconds, 1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (value: number) => String(value).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  const minutes = Math.round(whole / 60);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** "1 cell", "1,200 cells"; `many` where an s does not do. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${decimal(count)} ${count === 1 ? one : many}`;
}

/** "a", "a and b", "a, b and c". */
export function list(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? "") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
