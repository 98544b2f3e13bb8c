import { childrenOf, parseDocument, type XmlElement } from './document.ts';
import { bearer, ns } from './names.ts';
import { ResponseRefused } from './refused.ts';

/** What an assertion must say to be accepted. */
export interface Expected {
  /** Entity ID of the provider. */
  readonly issuer: string;
  /** Our entity ID. */
  readonly audience: string;
  /** Our assertion consumer URL. */
  readonly recipient: string;
  readonly now: number;
}

/** A verified assertion. */
export interface Assertion {
  readonly id: string;
  /** Until when it could be used again. */
  readonly until: number;
  /** ID of our request; undefined if the sign-in began at the provider. */
  readonly inResponseTo: string | undefined;
  readonly nameId: string;
  readonly nameIdFormat: string | undefined;
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

/** Accepted difference between the clocks. */
const skew = 60_000;

/**
 * Reads an assertion whose signature has been verified, and checks that it was issued by this provider for a sign-in
 * here and now. Every rule is checked here, because the library skips those whose elements are missing.
 */
export function readAssertion(signedXml: string, expected: Expected): Assertion {
  const assertion = parseDocument(signedXml);
  if (assertion.name !== 'Assertion' || assertion.uri !== ns.assertion) throw new ResponseRefused('not an assertion');
  const id = assertion.attributes.get('ID') ?? '';
  if (id === '' || assertion.attributes.get('Version') !== '2.0') throw new ResponseRefused('not a SAML 2.0 assertion');
  const issuer = one(assertion, 'Issuer').text.trim();
  if (issuer !== expected.issuer) {
    throw new ResponseRefused(`issued by ${issuer.slice(0, 400)}, not by ${expected.issuer}`);
  }
  checkConditions(one(assertion, 'Conditions'), expected);
  checkSession(assertion, expected.now);
  const subject = one(assertion, 'Subject');
  const confirmation = confirmationOf(subject, expected);
  const nameId = one(subject, 'NameID');
  if (nameId.children.length > 0) throw new ResponseRefused('the NameID has children');
  return {
    id,
    until: confirmation.until,
    inResponseTo: confirmation.inResponseTo,
    nameId: nameId.text.trim(),
    nameIdFormat: nameId.attributes.get('Format'),
    attributes: attributesOf(assertion),
  };
}

function one(parent: XmlElement, name: string): XmlElement {
  const [found, ...others] = childrenOf(parent, ns.assertion, name);
  if (!found || others.length > 0) throw new ResponseRefused(`expected one ${name} in ${parent.name}`);
  return found;
}

/** Each restriction must include us: they are alternatives inside, and conditions among each other. */
function checkConditions(conditions: XmlElement, { audience, now }: Expected): void {
  checkPeriod(conditions, now);
  const restrictions = childrenOf(conditions, ns.assertion, 'AudienceRestriction');
  const admits = (restriction: XmlElement) =>
    childrenOf(restriction, ns.assertion, 'Audience').some(({ text }) => text.trim() === audience);
  if (restrictions.length === 0 || !restrictions.every(admits)) {
    throw new ResponseRefused(`the assertion is not for the audience ${audience}`);
  }
}

function checkPeriod({ name, attributes }: XmlElement, now: number): void {
  const [from, to] = [attributes.get('NotBefore'), attributes.get('NotOnOrAfter')];
  if (from !== undefined && instant(from) > now + skew) throw new ResponseRefused(`${name}: not yet valid`);
  if (to !== undefined && instant(to) <= now - skew) throw new ResponseRefused(`${name}: no longer valid`);
}

function checkSession(assertion: XmlElement, now: number): void {
  const statements = childrenOf(assertion, ns.assertion, 'AuthnStatement');
  if (statements.length === 0) throw new ResponseRefused('the assertion does not say that the user signed in');
  for (const { attributes } of statements) {
    const end = attributes.get('SessionNotOnOrAfter');
    if (end !== undefined && instant(end) <= now - skew) throw new ResponseRefused('the session is over');
  }
}

/** Returns the confirmation for whoever bears this assertion to us, and until when there is any. */
function confirmationOf(subject: XmlElement, { recipient, now }: Expected) {
  const reasons: string[] = [];
  const all = childrenOf(subject, ns.assertion, 'SubjectConfirmation')
    .filter(({ attributes }) => attributes.get('Method') === bearer)
    .map((confirmation) => one(confirmation, 'SubjectConfirmationData'));
  const ends = all.flatMap(({ attributes }) => attributes.get('NotOnOrAfter') ?? []).map(instant);
  for (const data of all) {
    const end = data.attributes.get('NotOnOrAfter');
    const sentTo = data.attributes.get('Recipient');
    try {
      if (end === undefined) throw new ResponseRefused('the confirmation has no end');
      if (sentTo !== recipient) throw new ResponseRefused(`for ${sentTo?.slice(0, 400)}, not ${recipient}`);
      checkPeriod(data, now);
    } catch (error) {
      if (!(error instanceof ResponseRefused)) throw error;
      reasons.push(error.message);
      continue;
    }
    return { until: Math.max(...ends) + skew, inResponseTo: data.attributes.get('InResponseTo') };
  }
  throw new ResponseRefused(`no usable subject confirmation: ${reasons.join('; ') || 'none is for bearers'}`);
}

function instant(text: string): number {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new ResponseRefused('a date cannot be read');
  return at;
}

function attributesOf(assertion: XmlElement): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const statement of childrenOf(assertion, ns.assertion, 'AttributeStatement')) {
    for (const attribute of childrenOf(statement, ns.assertion, 'Attribute')) {
      const name = attribute.attributes.get('Name') ?? '';
      const values = childrenOf(attribute, ns.assertion, 'AttributeValue').filter(
        ({ children }) => children.length === 0,
      );
      found.set(name, [...(found.get(name) ?? []), ...values.map(({ text }) => text.trim()).filter(Boolean)]);
    }
  }
  return found;
}
