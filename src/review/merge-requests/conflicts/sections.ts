export type Side = 'source' | 'target';

/** What each side has. */
export type Sides = Readonly<Record<Side, string>>;

/** Which side to take; both is that of the source, then that of the target. */
export type Choice = Side | 'both';

/** A part of a file that conflicts: text that both sides go along with, or what each of them has instead. */
export type Section = { readonly text: string } | Sides;

export const isConflict = (section: Section): section is Sides => !('text' in section);

const linesOf = (text: string) => text.match(/[^\n]+\n?|\n/g) ?? [];

/**
 * Reads a file in which git marked what it could not merge: the names after its marks are the two commits, so nothing in a
 * file passes for them but the line between the sides. Undefined where that cannot be told, or where nothing is marked.
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

/** The file with a side taken wherever it conflicts; undefined unless there is a choice for each. */
export function withChoices(sections: readonly Section[], choices: readonly Choice[]): string | undefined {
  if (sections.filter(isConflict).length !== choices.length) return undefined;
  const left = [...choices];
  const take = (section: Sides, choice: Choice = 'source') =>
    choice === 'both' ? section.source + section.target : section[choice];
  return sections.map((section) => (isConflict(section) ? take(section, left.shift()) : section.text)).join('');
}

/** What the commit says that brings both together. */
export function resolutionMessage(source: string, target: string, paths: readonly string[]): string {
  return [`Merge branch '${target}' into '${source}'`, '', '# Conflicts:', ...paths.map((path) => `#   ${path}`)].join(
    '\n',
  );
}
