import { Role } from '../../access/roles.ts';
import { type OwnerPattern, ownerPattern } from './pattern.ts';

/** The owners named in an entry: paths of users and groups, e-mail addresses, and project roles. */
export interface Owners {
  readonly names: readonly string[];
  readonly emails: readonly string[];
  readonly levels: readonly number[];
}

/** An entry that assigns owners to paths. */
export interface OwnedPaths {
  /** The pattern as written in the file. */
  readonly pattern: string;
  readonly matches: OwnerPattern;
  readonly owners: Owners;
}

/** A section of the file. Each section assigns owners independently of the others. */
export interface Section {
  readonly name: string;
  /** Whether the approval of its owners is optional. */
  readonly optional: boolean;
  /** Number of required approvals. */
  readonly approvals: number;
  readonly entries: readonly OwnedPaths[];
  /** Paths excluded from the section, overriding its entries. */
  readonly exclusions: readonly OwnerPattern[];
}

/** The name of the section before the first header. */
export const unnamedSection = 'codeowners';

const maxLines = 20_000;
const maxApprovals = 100;
const roles: Readonly<Record<string, number>> = {
  developer: Role.developer,
  maintainer: Role.maintainer,
  owner: Role.owner,
};

interface OpenSection extends Section {
  optional: boolean;
  approvals: number;
  readonly entries: OwnedPaths[];
  readonly exclusions: OwnerPattern[];
}

// `^[Name][2] @defaults`. Brackets directly followed by other text are a pattern, such as `[ab]*.md`.
const headerForm = /^(\^)?\[([^\]]+)\](?:\[(\d*)\])?(?=\s|$)(.*)$/;

/**
 * Parses a CODEOWNERS file. Sections with the same name (case-insensitive) are merged: the result is optional only if
 * all of them are, and requires the highest number of approvals.
 */
export function parseCodeOwners(text: string): Section[] {
  const sections = new Map<string, OpenSection>();
  const open = (name: string, optional: boolean, approvals: number): OpenSection => {
    const known = sections.get(name.toLowerCase());
    if (known) {
      known.optional &&= optional;
      known.approvals = Math.max(known.approvals, approvals);
      return known;
    }
    const section = { name, optional, approvals, entries: [], exclusions: [] };
    sections.set(name.toLowerCase(), section);
    return section;
  };
  let section: OpenSection | undefined;
  let defaults = noOwners;
  for (const raw of text.split('\n', maxLines)) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const header = headerForm.exec(line);
    if (header?.[2]?.trim()) {
      const approvals = Math.min(Math.max(Number(header[3] ?? 1), 1), maxApprovals);
      section = open(header[2].trim(), header[1] !== undefined, approvals);
      defaults = readOwners(header[4] ?? '');
      continue;
    }
    section ??= open(unnamedSection, false, 1);
    addLine(section, line, defaults);
  }
  return [...sections.values()];
}

function addLine(section: OpenSection, line: string, defaults: Owners): void {
  const excludes = line.startsWith('!');
  const { pattern, rest } = splitPattern(excludes ? line.slice(1) : line);
  if (pattern === '') return;
  const matches = ownerPattern(pattern);
  if (excludes) section.exclusions.push(matches);
  else {
    const named = readOwners(rest);
    section.entries.push({ pattern, matches, owners: named === noOwners ? defaults : named });
  }
}

/** Splits a line at the first unescaped white space. */
function splitPattern(line: string): { pattern: string; rest: string } {
  const end = /(?<!\\)\s/.exec(line)?.index ?? line.length;
  const pattern = line.slice(0, end).replace(/\\([ #])/g, '$1');
  return { pattern, rest: line.slice(end) };
}

const noOwners: Owners = { names: [], emails: [], levels: [] };

/** Reads owners up to a comment. Words that are not valid owners are ignored. */
function readOwners(text: string): Owners {
  const names: string[] = [];
  const emails: string[] = [];
  const levels: number[] = [];
  for (const word of text.split(/[\s,]+/)) {
    if (word.startsWith('#')) break;
    if (word.startsWith('@@')) {
      const level = roles[word.slice(2).toLowerCase().replace(/s$/, '')];
      if (level !== undefined) levels.push(level);
    } else if (/^@[\w.-]+(?:\/[\w.-]+)*$/.test(word)) names.push(word.slice(1));
    else if (/^[^@\s]+@[^@\s]+$/.test(word)) emails.push(word);
  }
  return names.length + emails.length + levels.length === 0 ? noOwners : { names, emails, levels };
}
