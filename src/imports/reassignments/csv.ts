/** Parses CSV into rows of fields. Quoted fields can contain commas, quotes and line breaks. */
export function readCsv(text: string): string[][] {
  const field = /("(?:[^"]|"")*"|(?:[^",\r\n][^,\r\n]*)?)(,|\r?\n|\r|$)/y;
  const rows: string[][] = [];
  let row: string[] = [];
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    // A closing quote is followed by neither a comma nor a line end.
    if (!found) throw new SyntaxError('malformed CSV');
    const [, value = '', end] = found;
    row.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end === ',' && field.lastIndex < text.length) continue;
    if (end === ',') row.push('');
    rows.push(row);
    row = [];
  }
  return rows.filter((fields) => fields.some((value) => value !== ''));
}

/** Formats a CSV line. Fields that a spreadsheet would evaluate as formulas are escaped. */
export function csvLine(fields: readonly string[]): string {
  const quoted = fields.map((field) => {
    const escaped = /^[=+\-@\t\r]/.test(field) ? `'${field}` : field;
    return /[",\r\n]/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
  });
  return `${quoted.join(',')}\n`;
}
