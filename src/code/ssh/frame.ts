const rule = '='.repeat(72);

/** Lines for the terminal of somebody who uses git over SSH, set off from what git prints. */
export function framed(lines: readonly string[]): string {
  return ['', rule, '', ...lines, '', rule, ''].map((line) => `remote: ${line}\n`).join('');
}

/** A refusal, framed. */
export function framedError(text: string): string {
  return framed([`ERROR: ${text}`]);
}
