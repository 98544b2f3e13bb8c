/** The fields of a CSV text, row by row: quoted ones may hold commas, quotes and line breaks. */
export function readCsv(text: string): string[][] {
  const field = /("(?:[^"]|"")*"|(?:[^",\r\n][^,\r\n]*)?)(,|\r?\n|\r|$)/y;
  const rows: string[][] = [];
  let row: string[] = [];
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    // What follows a closing quote is neither a comma nor the end of a line.
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

/** One line. A field that a spreadsheet would take for a formula is kept from being one. */
export function csvLine(fields: readonly string[]): string {
  const quoted = fields.map((field) => {
    const harmless = /^[=+\-@\t\r]/.test(field) ? `'${field}` : field;
    return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
  });
  return `${quoted.join(',')}\n`;
}
