import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAssertion } from '../../../src/people/saml/assertion.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const recipient = 'https://forge.example.com/users/auth/saml/callback';
const expected = { issuer: 'idp', audience: 'forge', recipient, now };

const confirmation = (end: string, to = recipient) =>
  `<SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><SubjectConfirmationData InResponseTo="_${end.slice(0, 2)}" NotOnOrAfter="2026-01-01T${end}Z" Recipient="${to}"/></SubjectConfirmation>`;

const assertion = (...confirmations: string[]) =>
  `<Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" ID="_1" Version="2.0"><Issuer>idp</Issuer><Subject><NameID>ann</NameID>${confirmations.join('')}</Subject><Conditions><AudienceRestriction><Audience>forge</Audience></AudienceRestriction></Conditions><AuthnStatement/></Assertion>`;

describe('a SAML assertion with several confirmations', () => {
  const until = (...confirmations: string[]) =>
    new Date(readAssertion(assertion(...confirmations), expected).until).toISOString().slice(11, 16);

  it('is remembered until the last of them ends, so that none accepts it again', () => {
    assert.equal(until(confirmation('12:05:00')), '12:06');
    assert.equal(until(confirmation('12:05:00'), confirmation('14:00:00')), '14:01');
    assert.equal(until(confirmation('11:00:00'), confirmation('12:05:00')), '12:06');
  });

  it('is accepted by one that is for this server and not over', () => {
    const read = (...confirmations: string[]) => readAssertion(assertion(...confirmations), expected).inResponseTo;
    assert.equal(read(confirmation('11:00:00'), confirmation('12:05:00')), '_12');
    assert.equal(read(confirmation('13:00:00', 'https://other.example.com'), confirmation('12:05:00')), '_12');
    assert.throws(() => read(confirmation('11:00:00'), confirmation('13:00:00', 'https://other.example.com')));
  });
});
