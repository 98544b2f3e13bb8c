import { count } from '../frame/format.ts';
import { type Html, html, trusted } from '../frame/html.ts';

const dayMs = 24 * 60 * 60 * 1000;
const weeks = 53;
const step = 13;
const size = 10;
const left = 28;
const top = 18;

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Intensity of a day, relative to the busiest one. */
const levelOf = (number: number, most: number) => (number === 0 ? 0 : Math.ceil((number / most) * 4));

/** The contribution calendar of a year: one column per week, one square per day. */
export function calendar(days: Readonly<Record<string, number>>, now = Date.now()): Html {
  const today = Math.floor(now / dayMs);
  // Weeks start on Monday; day 0 of 1970 was a Thursday.
  const weekday = (today + 3) % 7;
  const first = today - weekday - (weeks - 1) * 7;
  const shown = Array.from({ length: today - first + 1 }, (_, at) => {
    const date = new Date((first + at) * dayMs).toISOString().slice(0, 10);
    const number = Number(days[date] ?? 0);
    return { at, date, number: Number.isSafeInteger(number) ? number : 0 };
  });
  const most = Math.max(1, ...shown.map(({ number }) => number));
  const total = shown.reduce((sum, { number }) => sum + number, 0);
  const busiest = shown.reduce((best, day) => (day.number > best.number ? day : best), { date: '', number: 0 });
  const squares = shown.map(({ at, date, number }) => {
    const [x, y] = [left + Math.floor(at / 7) * step, top + (at % 7) * step];
    const title = number > 0 ? `<title>${count(number, 'contribution')} on ${date}</title>` : '';
    return `<rect class="day${levelOf(number, most)}" x="${x}" y="${y}" width="${size}" height="${size}" rx="2">${title}</rect>`;
  });
  const months = shown
    .filter(({ at, date }) => at % 7 === 0 && Number(date.slice(8)) <= 7)
    .map(
      ({ at, date }) =>
        `<text x="${left + (at / 7) * step}" y="${top - 6}">${monthNames[Number(date.slice(5, 7)) - 1]}</text>`,
    );
  const rows = ['Mon', 'Wed', 'Fri'].map((name, at) => `<text x="0" y="${top + at * 2 * step + 9}">${name}</text>`);
  const caption = `${count(total, 'contribution')} in the last year`;
  const peak = busiest.number > 1 ? `, most of them on ${busiest.date}: ${busiest.number}` : '';
  const [width, height] = [left + weeks * step, top + 7 * step];
  return html`<figure class="calendar"><figcaption>${caption}${peak}.</figcaption><div class="scroll" tabindex="0" role="group" aria-label="Contributions by day"><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${caption}">${trusted([...months, ...rows, ...squares].join(''))}</svg></div></figure>`;
}
