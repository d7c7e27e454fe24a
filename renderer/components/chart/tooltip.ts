/**
 * Builds a chart's tooltip: measured values, with the smoothed line's next to them. It consists of elements, because
 * the page's policy forbids styles in markup.
 */

interface TooltipRow {
  readonly seriesId?: string;
  readonly seriesName?: string;
  readonly color?: unknown;
  readonly value?: unknown;
}

export function tooltipElement(
  parameters: unknown,
  words: {
    /** Formats a place on the axis; `step` if all its points belong to one step. */
    readonly place: (place: number, step: number | null) => string;
    readonly value: (value: number) => string;
    readonly smoothed: (value: string) => string;
    /** Formats half the width of a band. */
    readonly spread: (half: number) => string;
  },
): HTMLElement | string {
  const rows = (Array.isArray(parameters) ? parameters : [parameters]) as readonly TooltipRow[];
  // Raw values and edges of bands belong to a line with a name; a line with raw values is smoothed.
  const raw = new Map(
    rows.flatMap(({ seriesId = '', value }) => (seriesId.endsWith('-raw') ? [[seriesId, value]] : [])),
  );
  const named = rows.filter(({ seriesId = '' }) => !/-(raw|low|high)$/.test(seriesId));
  const first = named[0]?.value ?? rows[0]?.value;
  if (!Array.isArray(first)) return '';
  const box = document.createElement('div');
  const title = document.createElement('div');
  title.className = 'mb-0.5 text-xs text-muted';
  const steps = new Set(named.flatMap(({ value }) => (Array.isArray(value) ? [Number(value[2])] : [])));
  const [step = null] = steps;
  title.textContent = words.place(Number(first[0]), steps.size === 1 ? step : null);
  box.append(title);
  for (const { seriesId = '', seriesName, color, value } of named) {
    const drawn = numberOf(value);
    const measured = raw.has(`${seriesId}-raw`) ? numberOf(raw.get(`${seriesId}-raw`)) : drawn;
    if (measured === null) continue;
    const row = document.createElement('div');
    row.className = 'flex items-center gap-2 text-xs';
    const mark = document.createElement('span');
    mark.className = 'size-2 rounded-xs';
    mark.style.background = typeof color === 'string' ? color : 'currentColor';
    const name = document.createElement('span');
    name.textContent = seriesName ?? '';
    const shown = document.createElement('strong');
    shown.className = 'figure ml-auto pl-3';
    shown.textContent = words.value(measured);
    row.append(mark, name, shown);
    if (measured !== drawn && drawn !== null) {
      const average = document.createElement('span');
      average.className = 'figure text-muted';
      average.textContent = words.smoothed(words.value(drawn));
      row.append(average);
    }
    const edge = rows.find((other) => other.seriesId === `${seriesId}-high`);
    const width = numberOf(edge?.value);
    if (width !== null) {
      const band = document.createElement('span');
      band.className = 'figure text-muted';
      band.textContent = words.spread(width / 2);
      row.append(band);
    }
    box.append(row);
  }
  return box;
}

/** The second number; the first is the place. */
const numberOf = (pair: unknown): number | null => {
  const value: unknown = Array.isArray(pair) ? pair[1] : null;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};
