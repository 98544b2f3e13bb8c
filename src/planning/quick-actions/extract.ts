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

const commandLine = /^\/([a-z_]+)(?:[ \t]+([^ \t].*)?)?$/is;

/** A text with more lines that could be commands is a text like any other: to read a hundred thousand takes everybody's time. */
const maxLines = 1000;

/** The same goes for a line that is longer. */
const longestLine = 16_384;

/** Whether a text can have commands at all; most have none, and need not be read for them. */
export function mayHaveCommands(text: string): boolean {
  let lines = 0;
  for (const _ of text.matchAll(/^\/[a-z_]/gim)) if (++lines > maxLines) return false;
  return lines > 0;
}

/**
 * Takes the known commands out of a text, of which `paragraphs` are the lines that stand in paragraphs. They stand at the start of a line of a paragraph; in code, quotes, lists and HTML
 * they are text like any other, as are unknown words after a slash.
 */
export function extractCommands(
  text: string,
  paragraphs: readonly number[],
  isKnown: (name: string) => boolean,
  substitutions: Substitutions = new Map(),
): Extracted {
  if (!mayHaveCommands(text)) return { body: text, commands: [] };
  const lines = text.split(/\r\n|\r|\n/);
  const candidates = new Set(paragraphs);

  const kept: string[] = [];
  const commands: WrittenCommand[] = [];
  let substituted = false;
  for (const [number, line] of lines.entries()) {
    const isCandidate = candidates.has(number) && line.length <= longestLine;
    const [, word = '', argument = ''] = (isCandidate && commandLine.exec(line)) || [];
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
