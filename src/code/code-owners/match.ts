import { setImmediate } from 'node:timers/promises';
import type { OwnedPaths, Section } from './parse.ts';
import { matchesOwnerPattern } from './pattern.ts';

/** An entry that applies to at least one of the given paths, with its section. */
export interface OwnedPart extends OwnedPaths {
  readonly section: Section;
}

const hasOwners = ({ owners }: OwnedPaths) => owners.names.length + owners.emails.length + owners.levels.length > 0;

/** Returns the entry of a section that applies to a path: the last match, unless the path is excluded. */
export function matchingSectionEntry(section: Section, path: string): OwnedPaths | undefined {
  const entry = section.entries.findLast(({ matches }) => matchesOwnerPattern(matches, path));
  if (!entry || section.exclusions.some((pattern) => matchesOwnerPattern(pattern, path))) return undefined;
  return hasOwners(entry) ? entry : undefined;
}

/** Number of pattern matches after which the loop yields to other work. */
const matchesPerTurn = 50_000;

/** Returns the entries that apply to any of the paths, each once, in file order. */
export async function ownedParts(
  sections: readonly Section[],
  paths: AsyncIterable<string> | Iterable<string>,
): Promise<OwnedPart[]> {
  const found = new Map(sections.map((section) => [section, new Set<OwnedPaths>()]));
  const matchesPerPath = sections.reduce((sum, { entries, exclusions }) => sum + entries.length + exclusions.length, 1);
  let matched = 0;
  for await (const path of paths) {
    for (const [section, lines] of found) {
      const line = matchingSectionEntry(section, path);
      if (line) lines.add(line);
    }
    matched += matchesPerPath;
    if (matched < matchesPerTurn) continue;
    matched = 0;
    await setImmediate();
  }
  return [...found].flatMap(([section, lines]) =>
    section.entries.filter((entry) => lines.has(entry)).map((entry) => ({ ...entry, section })),
  );
}
