import { type Html, html, type Part } from './html.ts';

const units: readonly (readonly [number, string])[] = [
  [31_536_000, 'year'],
  [2_592_000, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

/** Relative time in words. */
export function ago(at: number, now = Date.now()): string {
  const seconds = Math.round((now - at) / 1000);
  const size = Math.abs(seconds);
  for (const [length, name] of units) {
    if (size < length) continue;
    const count = Math.floor(size / length);
    const text = `${count} ${name}${count === 1 ? '' : 's'}`;
    return seconds >= 0 ? `${text} ago` : `in ${text}`;
  }
  return 'just now';
}

/** A relative time, with the exact time as tooltip. */
export function relativeTime(instant: string | null | undefined): Html | null {
  if (!instant) return null;
  const at = Date.parse(instant);
  if (Number.isNaN(at)) return null;
  const exact = new Date(at).toISOString();
  return html`<time datetime="${exact}" title="${exact.replace('T', ' ').slice(0, 19)} UTC">${ago(at)}</time>`;
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(3, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${['B', 'KiB', 'MiB', 'GiB'][power]}`;
}

/** A duration as `h:mm:ss`. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '';
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return [hours > 0 ? `${hours} h` : '', hours + minutes > 0 ? `${minutes} min` : '', `${rest} s`]
    .filter((part) => part !== '')
    .join(' ');
}

export const count = (number: number, name: string) => `${number} ${name}${number === 1 ? '' : 's'}`;

/** A label with its colour as an SVG dot, because the content security policy forbids inline styles. */
export function label(name: string, color: string, href?: string): Html {
  const dot = html`<svg class="dot" viewBox="0 0 8 8" aria-hidden="true"><circle cx="4" cy="4" r="4" fill="${/^#[0-9a-f]{3,8}$/i.test(color) ? color : '#888'}"/></svg>`;
  const inner = html`${dot}${name}`;
  return href === undefined
    ? html`<span class="label">${inner}</span>`
    : html`<a class="label" href="${href}">${inner}</a>`;
}

/** A status badge: `opened`, `failed`. */
export function badge(state: string, text: string = state.replaceAll('_', ' ')): Html {
  return html`<span class="badge badge-${state.replace(/[^a-z_]/g, '')}">${text}</span>`;
}

/** Renders a list, or a text if it is empty. */
export function listOr<T>(items: readonly T[], draw: (item: T) => Html, empty: Part): Html {
  return items.length === 0 ? html`<p class="empty">${empty}</p>` : html`<ul class="list">${items.map(draw)}</ul>`;
}

/** Linked figures side by side. */
export function tiles(items: readonly { text: string; number: Part; href?: string }[]): Html {
  const draw = ({ text, number, href }: (typeof items)[number]) => {
    const inner = html`<span>${text}</span><strong>${number}</strong>`;
    return html`<li>${href === undefined ? html`<span>${inner}</span>` : html`<a href="${href}">${inner}</a>`}</li>`;
  };
  return html`<ul class="tiles">${items.map(draw)}</ul>`;
}
