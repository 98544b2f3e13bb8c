import type { Der } from './der.ts';

/** For whom an issuer may vouch (RFC 5280, 4.2.1.10). Hosts and addresses of machines are not of interest here. */
export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
}

interface Subtrees {
  /** Addresses, hosts, or domains with a dot before them; in lower case. */
  readonly emails: readonly string[];
  /** The beginnings of names, each a list of its parts in DER. */
  readonly names: readonly (readonly Buffer[])[];
}

/** What a certificate calls its owner. */
export interface Named {
  readonly emails: readonly string[];
  readonly nameParts: readonly Buffer[];
}

const RFC822_NAME = 0x81;
const DIRECTORY_NAME = 0xa4;

/** Reads the extension. */
export function readNameConstraints(der: Der): NameConstraints {
  const bases = (tag: number) => {
    const subtrees = der.parts.find((part) => part.tag === tag)?.parts ?? [];
    return subtrees.map((subtree) => subtree.at(0));
  };
  return { permitted: readSubtrees(bases(0xa0)), excluded: readSubtrees(bases(0xa1)) };
}

function readSubtrees(bases: readonly Der[]): Subtrees {
  const of = (kind: number) => bases.filter(({ tag }) => tag === kind);
  return {
    emails: of(RFC822_NAME).map(({ content }) => content.toString('latin1').toLowerCase()),
    names: of(DIRECTORY_NAME).map((name) => name.at(0).parts.map(({ raw }) => raw)),
  };
}

/** Whether somebody of this name is among those that the issuer may vouch for. */
export function isWithin({ permitted, excluded }: NameConstraints, { emails, nameParts }: Named): boolean {
  const covers = (bases: readonly string[]) => (email: string) => bases.some((base) => coversEmail(base, email));
  if (emails.some(covers(excluded.emails))) return false;
  if (permitted.emails.length > 0 && !emails.every(covers(permitted.emails))) return false;
  // The same name can be written in several ways: one that looks different may yet be an excluded one.
  if (excluded.names.length > 0) return false;
  return (
    nameParts.length === 0 || permitted.names.length === 0 || permitted.names.some((base) => begins(base, nameParts))
  );
}

function coversEmail(base: string, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (base.includes('@')) return base === email;
  return base.startsWith('.') ? domain.endsWith(base) : domain === base;
}

function begins(base: readonly Buffer[], name: readonly Buffer[]): boolean {
  return base.every((part, index) => name[index]?.equals(part) === true);
}
