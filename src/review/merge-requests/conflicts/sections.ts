export type Side = 'source' | 'target';

/** Content of each side. */
export type Sides = Readonly<Record<Side, string>>;

/** Side to use; `both` is the source followed by the target. */
export type Choice = Side | 'both';

/** A section of a file: common text, or the conflicting content of both sides. */
export type Section = { readonly text: string } | Sides;

export const isConflict = (section: Section): section is Sides => !('text' in section);

const linesOf = (text: string) => text.match(/[^\n]+\n?|\n/g) ?? [];

/**
 * Parses the conflict markers in a merged file. The markers carry the two commit IDs, so that only the separator line
 * could be mistaken for file content. Returns undefined if the result is ambiguous or there are no markers.
 */
export function sectionsOf(marked: string, source: string, target: string): Section[] | undefined {
  const sections: Section[] = [];
  let text = '';
  let sides: Record<Side, string> | undefined;
  let side: Side = 'source';
  for (const line of linesOf(marked)) {
    if (!sides && line.startsWith(`<<<<<<< ${source}`)) {
      if (text !== '') sections.push({ text });
      text = '';
      sides = { source: '', target: '' };
      side = 'source';
    } else if (!sides) text += line;
    else if (line.trimEnd() === '=======') {
      if (side === 'target') return undefined;
      side = 'target';
    } else if (side === 'target' && line.startsWith(`>>>>>>> ${target}`)) {
      sections.push(sides);
      sides = undefined;
    } else sides[side] += line;
  }
  if (sides) return undefined;
  if (text !== '') sections.push({ text });
  return sections.some(isConflict) ? sections : undefined;
}

/** Returns the file with a side chosen for each conflict; undefined unless there is exactly one choice per conflict. */
export function withChoices(sections: readonly Section[], choices: readonly Choice[]): string | undefined {
  if (sections.filter(isConflict).length !== choices.length) return undefined;
  const left = [...choices];
  const take = (section: Sides, choice: Choice = 'source') =>
    choice === 'both' ? section.source + section.target : section[choice];
  return sections.map((section) => (isConflict(section) ? take(section, left.shift()) : section.text)).join('');
}

/** Commit message of a conflict resolution. */
export function resolutionMessage(source: string, target: string, paths: readonly string[]): string {
  return [`Merge branch '${target}' into '${source}'`, '', '# Conflicts:', ...paths.map((path) => `#   ${path}`)].join(
    '\n',
  );
}
