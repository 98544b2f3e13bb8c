import { compileUserRegex } from '../../platform/user-regex.ts';

/** What runners put before each line: when, from which stream, and whether the line goes on from the one before. */
const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z [0-9a-f]{2}[OE][ +]/;
const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');
/** Of a longer line only the end is looked at: totals stand there. */
const longestLine = 64 * 1024;

/** The coverage that a log reports: the first number in the last match of the last line that has one; null for none. */
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
    // It was refused when the configuration was read, or has become too heavy since: there is no coverage then.
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
    rest = (lines.pop() ?? '').slice(-longestLine);
    for (const line of lines) yield plain(line);
  }
  if (rest !== '') yield plain(rest);
}

function plain(line: string): string {
  return line.replace(stamp, '').replace(escapes, '').replace(/\r$/, '').slice(-longestLine);
}
