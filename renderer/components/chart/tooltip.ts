/** What a chart says under the pointer: built as elements, because the page's policy forbids styles within markup. */

interface TooltipRow {
  readonly seriesId?: string;
  readonly seriesName?: string;
  readonly color?: unknown;
  readonly value?: unknown;
}

export function tooltipElement(
  parameters: unknown,
  words: { readonly step: (step: number) => string; readonly value: (value: number) => string },
): HTMLElement | string {
  const rows = (Array.isArray(parameters) ? parameters : [parameters]) as readonly TooltipRow[];
  // Raw values and the edges of bands lie under a line that has a name.
  const named = rows.filter(({ seriesId = '' }) => !/-(raw|low|high)$/.test(seriesId));
  const first = named[0]?.value ?? rows[0]?.value;
  if (!Array.isArray(first)) return '';
  const box = document.createElement('div');
  const title = document.createElement('div');
  title.className = 'mb-0.5 text-xs text-muted';
  title.textContent = words.step(Number(first[0]));
  box.append(title);
  for (const { seriesName, color, value } of named) {
    if (!Array.isArray(value) || typeof value[1] !== 'number') continue;
    const row = document.createElement('div');
    row.className = 'flex items-center gap-2 text-xs';
    const mark = document.createElement('span');
    mark.className = 'size-2 rounded-xs';
    mark.style.background = typeof color === 'string' ? color : 'currentColor';
    const name = document.createElement('span');
    name.textContent = seriesName ?? '';
    const shown = document.createElement('strong');
    shown.className = 'figure ml-auto pl-3';
    shown.textContent = words.value(value[1]);
    row.append(mark, name, shown);
    box.append(row);
  }
  return box;
}
