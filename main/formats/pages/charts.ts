/** Draws charts of exported pages as SVG: points with their 95 % intervals row by row, and lines over steps. */
import { html, type Markup } from './html.js';

interface ChartRow {
  readonly label: string;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

interface Chart {
  readonly title: string;
  readonly rows: readonly ChartRow[];
  readonly unit: string;
  readonly write: (value: number) => string;
}

const WIDTH = 720;
/** The approximate width of a letter of a label, and the most for all. */
const LETTER = 7;
const MOST_LEFT = 420;
const RIGHT = 30;
const ROW = 30;
const TOP = 12;
const BOTTOM = 44;

/** Draws shares from 0 to 1 with their intervals, and a line at one half. */
export function shareChart({ title, rows, unit, write }: Chart): Markup {
  const height = TOP + rows.length * ROW + BOTTOM;
  const left = Math.min(MOST_LEFT, 20 + LETTER * Math.max(16, ...rows.map(({ label }) => label.length)));
  const at = (share: number) => (left + Math.min(1, Math.max(0, share)) * (WIDTH - left - RIGHT)).toFixed(1);
  const floor = TOP + rows.length * ROW;
  return html`<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">
    ${roundTicks(0, 1).map((tick) => html`<line class="grid" x1="${at(tick)}" x2="${at(tick)}" y1="${TOP}" y2="${floor}" /><text class="tick" x="${at(tick)}" y="${floor + 16}">${write(tick)}</text>`)}
    <line class="half" x1="${at(0.5)}" x2="${at(0.5)}" y1="${TOP}" y2="${floor}" />
    ${rows.map((row, index) => chartRow(row, { left, y: TOP + (index + 0.5) * ROW, at }))}
    <text class="unit" x="${(left + WIDTH - RIGHT) / 2}" y="${floor + 36}">${unit}</text>
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

function chartRow(
  { label, value, low, high }: ChartRow,
  { left, y, at }: { readonly left: number; readonly y: number; at(value: number): string },
): Markup {
  return html`<text class="label" x="${left - 14}" y="${y + 4}">${label}</text>${
      low === null || high === null
        ? ''
        : html`<line class="interval" x1="${at(low)}" x2="${at(high)}" y1="${y}" y2="${y}" />`
    }${value === null ? '' : html`<circle class="point" cx="${at(value)}" cy="${y}" r="5" />`}`;
}

export interface Curve {
  readonly label: string;
  readonly steps: readonly number[];
  readonly values: readonly (number | null)[];
  /** Any numbers, taken modulo the six colours and the four kinds of stroke. */
  readonly colour: number;
  readonly stroke: number;
}

interface CurveChart {
  readonly title: string;
  readonly curves: readonly Curve[];
  readonly write: (value: number) => string;
}

const CURVES = { width: 560, height: 260, left: 58, right: 24, top: 12, bottom: 34 } as const;
const classOf = ({ colour, stroke }: Curve) => `curve c${(colour % 6) + 1}${stroke % 4 === 0 ? '' : ` d${stroke % 4}`}`;

/** Draws lines over steps; null without values. */
export function curveChart({ title, curves, write }: CurveChart): Markup | null {
  const values = curves.flatMap((curve) => curve.values.filter((value) => value !== null));
  if (values.length === 0) return null;
  const last = Math.max(1, ...curves.map(({ steps }) => steps.at(-1) ?? 0));
  let [least, most] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  if (!(least < most)) [least, most] = [least - 0.5, most + 0.5];
  // A single line with the chart's own title needs no legend.
  const labelled = curves.length === 1 && curves[0]?.label === title ? [] : curves;
  const { width, height, left, right, top, bottom } = CURVES;
  const floor = height - bottom;
  const x = (step: number) => (left + (step / last) * (width - left - right)).toFixed(1);
  const y = (value: number) => (floor - ((value - least) / (most - least)) * (floor - top)).toFixed(1);
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
      ${roundTicks(least, most).map((tick) => html`<line class="grid" x1="${left}" x2="${width - right}" y1="${y(tick)}" y2="${y(tick)}" /><text class="value" x="${left - 6}" y="${Number(y(tick)) + 4}">${write(tick)}</text>`)}
      ${roundTicks(0, last).map((tick) => html`<text class="tick" x="${x(tick)}" y="${floor + 18}">${write(tick)}</text>`)}
      ${curves.map((curve) => html`<path class="${classOf(curve)}" d="${pathOf(curve, x, y)}" />`)}
    </svg>
    ${
      labelled.length === 0
        ? ''
        : html`<ul class="legend">
            ${labelled.map(
              (curve) =>
                html`<li>
                  <svg viewBox="0 0 26 10" aria-hidden="true"><path class="${classOf(curve)}" d="M0 5H26" /></svg
                  >${curve.label}
                </li>`,
            )}
          </ul>`
    }`;
}

/** Draws an isolated point as a short line, so that it is visible. */
function pathOf({ steps, values }: Curve, x: (step: number) => string, y: (value: number) => string): string {
  let path = '';
  let isDrawing = false;
  values.forEach((value, at) => {
    if (value === null) {
      isDrawing = false;
      return;
    }
    path += `${isDrawing ? 'L' : 'M'}${x(steps[at] ?? 0)} ${y(value)}`;
    if (!isDrawing && (values[at + 1] ?? null) === null) path += 'h1';
    isDrawing = true;
  });
  return path;
}
