import { isRecord } from '../../platform/http/parameters/param-readers.ts';
import { escapeHtml } from './html-tags.ts';

const mostFields = 100;
const mostCells = 20_000;

interface Field {
  readonly key: string;
  readonly label: string;
}

/**
 * What a block of `json:table` says, as a table: `items` are its rows and `fields` its columns, those of the first row unless
 * told. Undefined for what says none, or one that is too large; it is shown as it was written.
 */
export function drawJsonTable(json: string): string | undefined {
  const sent = parsed(json);
  if (!isRecord(sent) || !Array.isArray(sent.items)) return undefined;
  const { items, caption } = sent;
  if (items.length === 0 || !items.every(isRecord)) return undefined;
  const fields = fieldsOf(sent.fields ?? Object.keys(items[0] ?? {}));
  if (fields.length === 0 || fields.length > mostFields || fields.length * items.length > mostCells) return undefined;
  const row = (cells: readonly string[], tag: 'th' | 'td') =>
    `<tr>\n${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>\n`).join('')}</tr>\n`;
  const head = row(
    fields.map(({ label }) => label),
    'th',
  );
  const body = items.map((item) =>
    row(
      fields.map(({ key }) => shown(Object.hasOwn(item, key) ? item[key] : undefined)),
      'td',
    ),
  );
  const said = escapeHtml(typeof caption === 'string' ? caption : 'Generated with JSON data');
  return `<table dir="auto">\n<caption>${said}</caption>\n<thead>\n${head}</thead>\n<tbody>\n${body.join('')}</tbody>\n</table>\n`;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Columns by their keys alone, or with what stands above them. */
function fieldsOf(sent: unknown): Field[] {
  if (!Array.isArray(sent)) return [];
  return sent.flatMap((field) => {
    if (typeof field === 'string') return [{ key: field, label: field }];
    if (!isRecord(field) || typeof field.key !== 'string') return [];
    return [{ key: field.key, label: typeof field.label === 'string' ? field.label : field.key }];
  });
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
