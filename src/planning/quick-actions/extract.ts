/** A command as written: its lowercase name and the rest of the line. */
export interface WrittenCommand {
  readonly name: string;
  readonly argument: string;
}

export interface Extracted {
  /** The text without the lines of commands. */
  readonly body: string;
  readonly commands: readonly WrittenCommand[];
}

/** Commands that only insert text, with their replacement. */
export type Substitutions = ReadonlyMap<string, (argument: string) => string>;

const commandLine = /^\/([a-z_]+)(?:[ \t]+([^ \t].*)?)?$/is;

/**
 * Maximum number of possible command lines; a text with more is treated as plain text, because parsing a hundred
 * thousand of them would block the server.
 */
const maxLines = 1000;

/** Maximum length of a command line; longer ones are treated as plain text too. */
const maxLineLength = 16_384;

/** Whether a text can contain commands; most do not and need no further parsing. */
export function mayHaveCommands(text: string): boolean {
  let lines = 0;
  for (const _ of text.matchAll(/^\/[a-z_]/gim)) if (++lines > maxLines) return false;
  return lines > 0;
}

/**
 * Removes the known commands from a text; `paragraphs` are the numbers of the lines in paragraphs. Commands are at the
 * start of a line of a paragraph; in code, quotes, lists and HTML they are plain text, and so are unknown commands.
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
    const isCandidate = candidates.has(number) && line.length <= maxLineLength;
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
