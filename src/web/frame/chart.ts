import { type Html, html } from './html.ts';

/** A line of a chart: values by date. */
export interface ChartLine {
  readonly name: string;
  /** A style defined in the stylesheet. */
  readonly style: 'main' | 'other' | 'guide';
  readonly points: readonly { readonly date: string; readonly value: number }[];
}

interface Chart {
  readonly title: string;
  /** Text alternative. */
  readonly description: string;
  readonly from: string;
  readonly to: string;
  readonly lines: readonly ChartLine[];
}

const [width, height, left, right, top, bottom] = [640, 220, 40, 12, 12, 28];

/** Returns a round number at or above the maximum, and the step between grid lines. */
export function scaleFor(most: number): { readonly top: number; readonly step: number } {
  const rough = Math.max(1, most) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) ?? 10 * power);
  return { top: step * Math.ceil(Math.max(1, most) / step), step };
}

/** Draws a line chart of values over days, with a text alternative. */
export function lineChart({ title, description, from, to, lines }: Chart): Html {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const scale = scaleFor(Math.max(0, ...lines.flatMap(({ points }) => points.map(({ value }) => value))));
  const x = (date: string) => left + ((Date.parse(date) - first) / Math.max(1, last - first)) * (width - left - right);
  const y = (value: number) => top + (1 - value / scale.top) * (height - top - bottom);
  const marks = Array.from({ length: Math.round(scale.top / scale.step) + 1 }, (_, at) => at * scale.step);
  const grid = marks.map(
    (value) =>
      html`<line class="grid" x1="${left}" x2="${width - right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}"/><text x="${left - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${value}</text>`,
  );
  const drawn = lines.map(({ points, style }) => {
    const at = points.map(({ date, value }) => `${x(date).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    const end = points.at(-1);
    const dot =
      style === 'main' &&
      end &&
      html`<circle class="${style}" cx="${x(end.date).toFixed(1)}" cy="${y(end.value).toFixed(1)}" r="3"/>`;
    return html`<polyline class="${style}" points="${at}"/>${dot}`;
  });
  const legend = lines.map(
    ({ name, style }) =>
      html`<li><svg viewBox="0 0 24 8" width="24" height="8" aria-hidden="true"><line class="${style}" x1="0" x2="24" y1="4" y2="4"/></svg>${name}</li>`,
  );
  return html`<figure class="chart"><figcaption><strong>${title}</strong> <span class="muted">${description}</span></figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}: ${description}">${grid}<text x="${left}" y="${height - 8}">${from}</text><text x="${width - right}" y="${height - 8}" text-anchor="end">${to}</text>${drawn}</svg><ul class="legend">${legend}</ul></figure>`;
}
