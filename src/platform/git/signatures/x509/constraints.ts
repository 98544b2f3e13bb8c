import { Sequence } from 'asn1js';
import { type NameConstraints as Extension, type GeneralSubtree, RelativeDistinguishedNames } from 'pkijs';
import { NotDer, rawOf, readDer } from './der.ts';
import { nameKinds, textsOf } from './general-names.ts';

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

/** Reads the extension. */
export function readNameConstraints({ permittedSubtrees, excludedSubtrees }: Extension): NameConstraints {
  return { permitted: readSubtrees(permittedSubtrees ?? []), excluded: readSubtrees(excludedSubtrees ?? []) };
}

function readSubtrees(subtrees: readonly GeneralSubtree[]): Subtrees {
  const bases = subtrees.map(({ base }) => base);
  return {
    emails: textsOf(bases, nameKinds.email).map((text) => text.toLowerCase()),
    names: bases
      .map(({ value }: { value: unknown }) => value)
      .filter(isName)
      .map(namePartsOf),
  };
}

function isName(value: unknown): value is RelativeDistinguishedNames {
  return value instanceof RelativeDistinguishedNames;
}

/** The parts of a name in DER, the widest first. */
export function namePartsOf({ valueBeforeDecode }: RelativeDistinguishedNames): Buffer[] {
  const name = readDer(new Uint8Array(valueBeforeDecode));
  if (!(name instanceof Sequence)) throw new NotDer('no name');
  return name.valueBlock.value.map(rawOf);
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
