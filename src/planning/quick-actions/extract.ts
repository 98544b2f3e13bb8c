import { codeSpans, parseBlocks, TooMuchWork } from '../markdown/public.ts';

/** A command as it stands in a text: the name in small letters, and the rest of its line. */
export interface WrittenCommand {
  readonly name: string;
  readonly argument: string;
}

export interface Extracted {
  /** The text without the lines of its commands. */
  readonly body: string;
  readonly commands: readonly WrittenCommand[];
}

/** How a command that only writes something into the text does so. */
export type Substitutions = ReadonlyMap<string, (argument: string) => string>;

const commandLine = /^\/([a-z_]+)(?:[ \t]+(.*))?$/i;

/** The lines, counted from zero, that belong to paragraphs which stand in nothing else, outside of code. */
function paragraphLines(text: string, lines: readonly string[]): Set<number> {
  const candidates = new Set<number>();
  for (const token of parseBlocks(text)) {
    if (token.type !== 'paragraph_open' || token.level !== 0 || !token.map) continue;
    const [first, end] = token.map;
    const starts: number[] = [];
    let length = 0;
    for (let line = first; line < end; line++) {
      starts.push(length);
      length += (lines[line]?.length ?? 0) + 1;
    }
    const spans = codeSpans(lines.slice(first, end).join('\n'));
    let span = 0;
    for (const [offset, start] of starts.entries()) {
      while ((spans[span]?.[1] ?? Number.POSITIVE_INFINITY) <= start) span += 1;
      const within = (spans[span]?.[0] ?? Number.POSITIVE_INFINITY) < start;
      if (!within) candidates.add(first + offset);
    }
  }
  return candidates;
}

/**
 * Takes the known commands out of a text. They stand at the start of a line of a paragraph; in code, quotes, lists and HTML
 * they are text like any other, as are unknown words after a slash.
 */
export function extractCommands(
  text: string,
  isKnown: (name: string) => boolean,
  substitutions: Substitutions = new Map(),
): Extracted {
  if (!/^\/[a-z_]/im.test(text)) return { body: text, commands: [] };
  const lines = text.split(/\r\n|\r|\n/);
  let candidates: Set<number>;
  try {
    candidates = paragraphLines(text, lines);
  } catch (error) {
    if (error instanceof TooMuchWork) return { body: text, commands: [] };
    throw error;
  }

  const kept: string[] = [];
  const commands: WrittenCommand[] = [];
  let substituted = false;
  for (const [number, line] of lines.entries()) {
    const [, word = '', argument = ''] = (candidates.has(number) && commandLine.exec(line)) || [];
    const name = word.toLowerCase();
    const substitute = substitutions.get(name);
    if (substitute) {
      kept.push(substitute(argument.trim()));
      substituted = true;
    } else if (name !== '' && isKnown(name)) commands.push({ name, argument: argument.trim() });
    else kept.push(line);
  }
  if (commands.length === 0 && !substituted) return { body: text, commands };
  return { body: kept.join('\n').trim(), commands };
}
