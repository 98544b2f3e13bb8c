import { Sequence } from 'asn1js';
import { type NameConstraints as Extension, type GeneralSubtree, RelativeDistinguishedNames } from 'pkijs';
import { NotDer, rawOf, readDer } from './der.ts';
import { nameKinds, textsOf } from './general-names.ts';

/** Name constraints of an issuer (RFC 5280, 4.2.1.10). Host names and IP addresses are not relevant here. */
export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
}

interface Subtrees {
  /** Addresses, hosts, or domains with a leading dot; in lower case. */
  readonly emails: readonly string[];
  /** Name prefixes, each a list of parts in DER. */
  readonly names: readonly (readonly Buffer[])[];
}

/** The subject names of a certificate. */
export interface Named {
  readonly emails: readonly string[];
  readonly nameParts: readonly Buffer[];
}

/** Parses the extension. */
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

/** Returns the parts of a name in DER, most general first. */
export function namePartsOf({ valueBeforeDecode }: RelativeDistinguishedNames): Buffer[] {
  const name = readDer(new Uint8Array(valueBeforeDecode));
  if (!(name instanceof Sequence)) throw new NotDer('not a name');
  return name.valueBlock.value.map(rawOf);
}

/** Whether the names are within those that the issuer may certify. */
export function satisfiesNameConstraints(
  { permitted, excluded }: NameConstraints,
  { emails, nameParts }: Named,
): boolean {
  const covers = (bases: readonly string[]) => (email: string) => bases.some((base) => coversEmail(base, email));
  if (emails.some(covers(excluded.emails))) return false;
  if (permitted.emails.length > 0 && !emails.every(covers(permitted.emails))) return false;
  // The same name has several encodings, so a name that looks different may still be excluded.
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
