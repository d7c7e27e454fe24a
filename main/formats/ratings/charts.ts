/** Charts of the report, drawn as SVG that stands in the page: points with their 95 % intervals, row by row. */
import { html, type Markup } from './html.js';

export interface ChartRow {
  readonly label: string;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

interface Chart {
  /** For who cannot see it: what it says. */
  readonly title: string;
  readonly rows: readonly ChartRow[];
  /** What the axis counts, and how a value is written. */
  readonly unit: string;
  readonly write: (value: number) => string;
  /** A line to compare with, such as one half. */
  readonly line?: number;
  /** Ends of the axis; without them, of what is drawn. */
  readonly from?: number;
  readonly to?: number;
}

const WIDTH = 720;
const LEFT = 290;
const RIGHT = 30;
const ROW = 30;
const TOP = 12;
const BOTTOM = 44;

export function intervalChart({ title, rows, unit, write, line, from, to }: Chart): Markup {
  const values = rows.flatMap(({ value, low, high }) => [value, low, high]).filter((value) => value !== null);
  if (line !== undefined) values.push(line);
  let [least, most] = [from ?? Math.min(...values), to ?? Math.max(...values)];
  if (!(least < most)) [least, most] = [least - 1, least + 1];
  const height = TOP + rows.length * ROW + BOTTOM;
  const x = (value: number) => LEFT + ((value - least) / (most - least)) * (WIDTH - LEFT - RIGHT);
  const at = (value: number) => x(Math.min(most, Math.max(least, value))).toFixed(1);
  const floor = TOP + rows.length * ROW;
  const ticks = roundTicks(least, most);
  return html`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
    ${ticks.map((tick) => html`<line class="grid" x1="${at(tick)}" x2="${at(tick)}" y1="${TOP}" y2="${floor}" /><text class="tick" x="${at(tick)}" y="${floor + 16}">${write(tick)}</text>`)}
    ${line === undefined ? '' : html`<line class="half" x1="${at(line)}" x2="${at(line)}" y1="${TOP}" y2="${floor}" />`}
    ${rows.map((row, index) => chartRow(row, TOP + (index + 0.5) * ROW, at))}
    <text class="unit" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${floor + 36}">${unit}</text>
  </svg>`;
}

/** Three to eight round values within the axis: 1, 2 or 5 times a power of ten apart. */
function roundTicks(least: number, most: number): readonly number[] {
  const rough = (most - least) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.ceil(least / step - 1e-9);
  const count = Math.floor(most / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, at) => (first + at) * step);
}

function chartRow({ label, value, low, high }: ChartRow, y: number, at: (value: number) => string): Markup {
  return html`<text class="label" x="${LEFT - 14}" y="${y + 4}">${label}</text>${
      low === null || high === null
        ? ''
        : html`<line class="interval" x1="${at(low)}" x2="${at(high)}" y1="${y}" y2="${y}" />`
    }${value === null ? '' : html`<circle class="point" cx="${at(value)}" cy="${y}" r="5" />`}`;
}
