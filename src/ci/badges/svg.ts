/** Content of a badge: a key on the left, a value on the right. */
export interface Badge {
  readonly key: string;
  readonly value: string;
  readonly colour: string;
}

export type Style = 'flat' | 'flat-square';

const statusColours: Readonly<Record<string, string>> = {
  passed: '#4c1',
  failed: '#e05d44',
  running: '#dfb317',
  pending: '#dfb317',
  preparing: '#a7a7a7',
  canceled: '#9f9f9f',
  canceling: '#9f9f9f',
  skipped: '#9f9f9f',
  unknown: '#9f9f9f',
};

export function pipelineBadge(status: string | undefined): Omit<Badge, 'key'> {
  const value = status === 'success' ? 'passed' : (status ?? 'unknown');
  return { value, colour: statusColours[value] ?? '#9f9f9f' };
}

const good = 95;
const acceptable = 90;
const medium = 75;

export function coverageBadge(coverage: number | null | undefined): Omit<Badge, 'key'> {
  if (coverage === null || coverage === undefined) return { value: 'unknown', colour: '#9f9f9f' };
  const colour =
    coverage >= good ? '#4c1' : coverage >= acceptable ? '#a3c51c' : coverage >= medium ? '#dfb317' : '#e05d44';
  return { value: `${coverage.toFixed(2)}%`, colour };
}

export function releaseBadge(tag: string | undefined): Omit<Badge, 'key'> {
  return tag === undefined ? { value: 'none', colour: '#e05d44' } : { value: tag, colour: '#3076af' };
}

const characterWidth = 6.5;
const widthOf = (text: string) => Math.ceil([...text].length * characterWidth) + 10;

/** Renders a badge as SVG. All texts are escaped. */
export function renderBadge({ key, value, colour }: Badge, style: Style, keyWidth?: number): string {
  const left = keyWidth ?? widthOf(key);
  const right = widthOf(value);
  const round = style === 'flat' ? 3 : 0;
  const text = (content: string, middle: number) =>
    `<text x="${middle}" y="15" fill="#010101" fill-opacity=".3">${escaped(content)}</text>` +
    `<text x="${middle}" y="14">${escaped(content)}</text>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img">` +
    `<title>${escaped(`${key}: ${value}`)}</title>` +
    `<clipPath id="r"><rect width="${left + right}" height="20" rx="${round}"/></clipPath>` +
    `<g clip-path="url(#r)"><rect width="${left}" height="20" fill="#555"/>` +
    `<rect x="${left}" width="${right}" height="20" fill="${colour}"/></g>` +
    `<g fill="#fff" text-anchor="middle" font-family="DejaVu Sans,Verdana,Geneva,sans-serif" font-size="11">` +
    `${text(key, left / 2)}${text(value, left + right / 2)}</g></svg>`
  );
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
