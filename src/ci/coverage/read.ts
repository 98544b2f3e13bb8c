import { compileUserRegex } from '../../platform/user-regex.ts';

/** Prefix of each log line: timestamp, stream, and whether the line continues the previous one. */
const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z [0-9a-f]{2}[OE][ +]/;
const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');
/** Only the end of a longer line is searched: totals are printed there. */
const maxLineLength = 64 * 1024;

/** Returns the first number in the last match of the last matching line of a log, or null. */
export async function coverageIn(log: AsyncIterable<Uint8Array>, pattern: string): Promise<number | null> {
  const expression = compiled(pattern);
  if (expression === undefined) return null;
  let found: number | null = null;
  for await (const line of linesOf(log)) found = numberIn(line, expression) ?? found;
  return found;
}

type Expression = ReturnType<typeof compileUserRegex>;

function compiled(pattern: string): Expression | undefined {
  try {
    return compileUserRegex(pattern);
  } catch {
    // The pattern was valid when the pipeline was created, but the limits may have changed since. Report no coverage.
    return undefined;
  }
}

function numberIn(line: string, expression: Expression): number | null {
  const matcher = expression.matcher(line);
  let last: string | null = null;
  while (matcher.find())
    last = (matcher.groupCount() > 0 ? matcher.group(matcher.groupCount()) : matcher.group()) ?? last;
  const [number] = /\d+(?:\.\d+)?/.exec(last ?? '') ?? [];
  return number === undefined ? null : Number(number);
}

async function* linesOf(log: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of log) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = (lines.pop() ?? '').slice(-maxLineLength);
    for (const line of lines) yield clean(line);
  }
  if (rest !== '') yield clean(rest);
}

function clean(line: string): string {
  return line.replace(stamp, '').replace(escapes, '').replace(/\r$/, '').slice(-maxLineLength);
}
