import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { isRecord } from '../../../platform/http/parameters/param-readers.ts';

const maxFields = 100;
const maxCells = 20_000;

interface Field {
  readonly key: string;
  readonly label: string;
  readonly sortable: boolean;
}

interface JsonTable {
  readonly caption: string;
  readonly fields: readonly Field[];
  readonly rows: readonly (readonly string[])[];
  /** Whether readers can filter the rows. */
  readonly filter: boolean;
  /** Whether cells and caption are Markdown. */
  readonly markdown: boolean;
}

/**
 * Parses a `json:table` block: `items` are the rows and `fields` the columns, by default those of the first row.
 * Returns undefined for an invalid or too large table, which is rendered as code.
 */
function readJsonTable(json: string): JsonTable | undefined {
  const sent = parsed(json);
  if (!isRecord(sent) || !Array.isArray(sent.items)) return undefined;
  const { items, caption, filter, markdown } = sent;
  if (items.length === 0 || !items.every(isRecord)) return undefined;
  const fields = fieldsOf(sent.fields ?? Object.keys(items[0] ?? {}));
  if (fields.length === 0 || fields.length > maxFields || fields.length * items.length > maxCells) return undefined;
  return {
    caption: typeof caption === 'string' ? caption : 'Generated with JSON data',
    fields,
    rows: items.map((item) => fields.map(({ key }) => shown(Object.hasOwn(item, key) ? item[key] : undefined))),
    filter: filter === true,
    markdown: markdown === true,
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Columns, given as keys or as objects with label and sortable flag. */
function fieldsOf(sent: unknown): Field[] {
  if (!Array.isArray(sent)) return [];
  return sent.flatMap((field) => {
    if (typeof field === 'string') return [{ key: field, label: field, sortable: false }];
    if (!isRecord(field) || typeof field.key !== 'string') return [];
    const label = typeof field.label === 'string' ? field.label : field.key;
    return [{ key: field.key, label, sortable: field.sortable === true }];
  });
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function draw(state: StateCore, table: JsonTable, level: number): Token[] {
  const tokens: Token[] = [];
  const push = (type: string, tag: string, nesting: -1 | 0 | 1, rest: Partial<Token> = {}) => {
    const token = new state.Token(type, tag, nesting);
    Object.assign(token, { block: true, level }, rest);
    tokens.push(token);
    return token;
  };
  const cell = (tag: 'caption' | 'th' | 'td', content: string, isMarkdown: boolean, meta: Token['meta'] = null) => {
    push(`${tag}_open`, tag, 1, { meta });
    push(isMarkdown ? 'inline' : 'plain_text', '', 0, { content, ...(isMarkdown && { children: [] }) });
    push(`${tag}_close`, tag, -1);
  };
  const within = (tag: 'table' | 'thead' | 'tbody' | 'tr', inner: () => void) => {
    const open = push(`${tag}_open`, tag, 1);
    inner();
    push(`${tag}_close`, tag, -1);
    return open;
  };
  const { fields, rows, markdown } = table;
  const open = within('table', () => {
    cell('caption', table.caption, markdown);
    within('thead', () => {
      within('tr', () => {
        for (const { label, sortable } of fields) cell('th', label, false, { sortable });
      });
    });
    within('tbody', () => {
      for (const row of rows) within('tr', () => row.forEach((text) => void cell('td', text, markdown)));
    });
  });
  if (table.filter) open.attrPush(['data-table-filter', 'true']);
  return tokens;
}

const isTable = ({ type, info }: Token) => type === 'fence' && /^json:table(?![\w+#.:-])/.test(info.trim());

/** JSON tables: code blocks with language `json:table`. */
export function jsonTableRule(markdown: MarkdownIt): void {
  markdown.core.ruler.after('block', 'json_tables', (state) => {
    const { tokens } = state;
    if (!tokens.some(isTable)) return;
    const result = tokens.flatMap((token) => {
      const table = isTable(token) ? readJsonTable(token.content) : undefined;
      return table ? draw(state, table, token.level) : [token];
    });
    tokens.length = 0;
    for (const token of result) tokens.push(token);
  });
}
