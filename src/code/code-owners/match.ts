import { setImmediate } from 'node:timers/promises';
import type { OwnedPaths, Section } from './parse.ts';
import { matchesOwnerPattern } from './pattern.ts';

/** A line of the file that is about at least one of the paths, in its section. */
export interface OwnedPart extends OwnedPaths {
  readonly section: Section;
}

const hasOwners = ({ owners }: OwnedPaths) => owners.names.length + owners.emails.length + owners.levels.length > 0;

/** The line of a section that decides about a path: the last one that fits, unless the path is excluded. */
export function ownersIn(section: Section, path: string): OwnedPaths | undefined {
  const entry = section.entries.findLast(({ matches }) => matchesOwnerPattern(matches, path));
  if (!entry || section.exclusions.some((pattern) => matchesOwnerPattern(pattern, path))) return undefined;
  return hasOwners(entry) ? entry : undefined;
}

/** So many lines are tried against paths before others have their turn. */
const triesAtOnce = 50_000;

/** The lines that decide about any of the paths, each once, in the order of the file. */
export async function ownedParts(
  sections: readonly Section[],
  paths: AsyncIterable<string> | Iterable<string>,
): Promise<OwnedPart[]> {
  const found = new Map(sections.map((section) => [section, new Set<OwnedPaths>()]));
  const tries = sections.reduce((sum, { entries, exclusions }) => sum + entries.length + exclusions.length, 1);
  let tried = 0;
  for await (const path of paths) {
    for (const [section, lines] of found) {
      const line = ownersIn(section, path);
      if (line) lines.add(line);
    }
    tried += tries;
    if (tried < triesAtOnce) continue;
    tried = 0;
    await setImmediate();
  }
  return [...found].flatMap(([section, lines]) =>
    section.entries.filter((entry) => lines.has(entry)).map((entry) => ({ ...entry, section })),
  );
}
