import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { Browser } from '../../support/browser.ts';
import { forEachEngine } from '../../support/engines.ts';
import {
  type AuthnRequest,
  beginAt,
  comeBack,
  type Said,
  SamlProvider,
  sendResponse,
  signElement,
  throughSaml,
} from '../../support/saml-provider.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const minutes = 60_000;
const stranger = {
  nameId: 'stranger',
  attributes: { username: 'stranger', email: 'stranger@example.com', groups: ['staff'] },
};
const sha1 = {
  signatureMethod: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  digestMethod: 'http://www.w3.org/2000/09/xmldsig#sha1',
};
const status = (code: string) =>
  `<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${code}"></samlp:StatusCode></samlp:StatusCode>`;

forEachEngine((engine) => {
  describe('attacks on sign-in through SAML', () => {
    const provider = new SamlProvider();
    let server: TestServer;
    let visitors = 0;

    before(async () => {
      server = await startTestServer(engine, [
        ...['--saml-sso-url', provider.url, '--saml-idp-entity-id', provider.entityId, '--saml-sign-up'],
        ...['--saml-certificate', provider.certificate, '--saml-label', 'Office', '--trusted-proxies', '127.0.0.1'],
      ]);
      provider.person = stranger;
    });

    // Attempts are rate-limited by address.
    const visitor = () => new Browser(server, { 'x-forwarded-for': `198.51.100.${++visitors}` });
    const people = async () => (await server.must('GET /users?search=stranger')) as unknown[];
    const staysOut = async (browser: Browser) => {
      assert.match((await browser.open('/dashboard/todos')).headers.get('location') ?? '', /^\/users\/sign_in/);
      assert.deepEqual(await people(), []);
    };
    const refused = async (change: (xml: string, request: AuthnRequest) => string, lies: Partial<Said> = {}) => {
      const browser = visitor();
      const request = await beginAt(browser, 'saml');
      const answer = await comeBack(browser, 'saml', change(provider.xml(request, lies), request));
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.text, /role="alert">[^<]*\(Request [^)]+\)/);
      await staysOut(browser);
      return answer;
    };
    const same = (xml: string) => xml;

    const lies: [string, () => Partial<Said>][] = [
      ['no signature', () => ({ signs: 'nothing' })],
      ['a signature by a different key', () => ({ key: otherKey })],
      ['a response signed by a different key', () => ({ key: otherKey, signs: 'response' })],
      ['a signature with SHA-1', () => sha1],
      ['a digest with SHA-1', () => ({ digestMethod: sha1.digestMethod })],
      ['a different issuer', () => ({ issuer: 'https://other.example.com' })],
      ['a different audience', () => ({ audience: 'https://other.example.com' })],
      ['a different recipient', () => ({ recipient: 'https://other.example.com/callback' })],
      ['a different destination', () => ({ destination: 'https://other.example.com/callback' })],
      ['a request of nobody', () => ({ inResponseTo: '_somebody' })],
      ['no request', () => ({ inResponseTo: undefined })],
      ['an expired assertion', () => ({ until: Date.now() - 2 * minutes })],
      ['an expired confirmation', () => ({ confirmedUntil: Date.now() - 2 * minutes })],
      ['an assertion of tomorrow', () => ({ from: Date.now() + 2 * minutes })],
      ['another kind of confirmation', () => ({ method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' })],
      ['a failure', () => ({ status: status('UnknownPrincipal') })],
      ['no NameID', () => ({ written: (xml) => xml.replace(/<saml:NameID.*<\/saml:NameID>/, '') })],
      ['an empty NameID', () => ({ nameId: ' ' })],
      ['an overlong NameID', () => ({ nameId: 'x'.repeat(300) })],
      ['a transient NameID', () => ({ format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' })],
      [
        'no audience',
        () => ({ written: (xml) => xml.replace(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, '') }),
      ],
      ['no conditions', () => ({ written: (xml) => xml.replace(/<saml:Conditions.*<\/saml:Conditions>/, '') })],
      ['no statement', () => ({ written: (xml) => xml.replace(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, '') })],
      ['no recipient', () => ({ written: (xml) => xml.replace(/ Recipient="[^"]*"/, '') })],
      [
        'an unlimited confirmation',
        () => ({ written: (xml) => xml.replace(/(InResponseTo="[^"]*") NotOnOrAfter="[^"]*"/, '$1') }),
      ],
    ];
    for (const [name, lie] of lies) {
      it(`are refused with ${name}`, async () => {
        await refused(same, lie());
      });
    }

    it('are refused if anything signed was changed', async () => {
      for (const signs of ['assertion', 'response', 'both'] as const) {
        await refused((xml) => xml.replace('>stranger</saml:NameID>', '>root</saml:NameID>'), { signs });
        await refused((xml) => xml.replace('>staff<', '>rulers<'), { signs });
      }
    });

    /** The genuine assertion, and a forged one for the administrator. */
    const parts = (xml: string) => {
      const [genuine = ''] = /<saml:Assertion .*<\/saml:Assertion>/.exec(xml) ?? [];
      const [signature = ''] = /<ds:Signature .*<\/ds:Signature>/.exec(genuine) ?? [];
      const evil = genuine.replace(signature, '').replace('>stranger</saml:NameID>', '>root</saml:NameID>');
      return { genuine, signature, evil, evilWithNewId: evil.replace(/ ID="[^"]*"/, ' ID="_evil"') };
    };
    const wrappings: [string, (xml: string) => string][] = [
      ['before the genuine one', (xml) => put(xml, ({ evilWithNewId, genuine }) => evilWithNewId + genuine)],
      ['after the genuine one', (xml) => put(xml, ({ evilWithNewId, genuine }) => genuine + evilWithNewId)],
      ['with the same ID', (xml) => put(xml, ({ evil, genuine }) => evil + genuine)],
      [
        'with the signature of the genuine one, which hides in an object of it',
        (xml) =>
          put(xml, ({ evilWithNewId, genuine, signature }) => {
            const hidden = `<ds:Object>${genuine.replace(signature, '')}</ds:Object></ds:Signature>`;
            return evilWithNewId.replace(
              '</saml:Issuer>',
              `</saml:Issuer>${signature.replace('</ds:Signature>', hidden)}`,
            );
          }),
      ],
      [
        'with the genuine one in an extension of the response',
        (xml) =>
          put(xml, ({ evilWithNewId }) => evilWithNewId).replace(
            '<samlp:Status>',
            () => `<samlp:Extensions>${parts(xml).genuine}</samlp:Extensions><samlp:Status>`,
          ),
      ],
      [
        'with the genuine one as advice',
        (xml) =>
          put(xml, ({ evilWithNewId, genuine }) =>
            evilWithNewId.replace(
              '<saml:AuthnStatement',
              () => `<saml:Advice>${genuine}</saml:Advice><saml:AuthnStatement`,
            ),
          ),
      ],
      [
        'with the genuine signature on itself',
        (xml) => put(xml, ({ evil, signature }) => evil.replace('</saml:Issuer>', () => `</saml:Issuer>${signature}`)),
      ],
      [
        'around the genuine one',
        (xml) =>
          put(xml, ({ evilWithNewId, genuine }) =>
            evilWithNewId.replace('</saml:Assertion>', () => `${genuine}</saml:Assertion>`),
          ),
      ],
      [
        'in a response around the genuine one',
        (xml) =>
          put(xml, ({ evilWithNewId }) => evilWithNewId).replace(
            '</samlp:Response>',
            () => `${xml.replace(/ ID="[^"]*"/, ' ID="_inner"')}</samlp:Response>`,
          ),
      ],
    ];
    const put = (xml: string, write: (found: ReturnType<typeof parts>) => string) =>
      xml.replace(/<saml:Assertion .*<\/saml:Assertion>/, () => write(parts(xml)));
    for (const [name, wrap] of wrappings) {
      it(`by a forged assertion ${name} are refused`, async () => {
        await refused(wrap);
      });
    }

    it('by a response around a signed one are refused', async () => {
      await refused(
        (xml) => {
          const evil = xml
            .replace(/<ds:Signature .*?<\/ds:Signature>/, '')
            .replace(/ ID="[^"]*"/, ' ID="_outer"')
            .replace(/(<saml:Assertion [^>]*) ID="[^"]*"/, '$1 ID="_evil"')
            .replace('>stranger<', '>root<');
          return evil.replace('</samlp:Response>', () => `${xml}</samlp:Response>`);
        },
        { signs: 'response' },
      );
    });

    it('by a second signature, by the wrong key, are refused', async () => {
      await refused((xml) => {
        const [id = ''] = /(?<=<saml:Assertion [^>]*ID=")[^"]*/.exec(xml) ?? [];
        const { evil } = parts(xml);
        const how = { key: otherKey, signatureMethod: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256' };
        const forged = signElement(evil, id, { ...how, digestMethod: 'http://www.w3.org/2001/04/xmlenc#sha256' });
        return put(xml, ({ signature }) => forged.replace('<saml:Subject>', () => `${signature}<saml:Subject>`));
      });
    });

    const documents: [string, (xml: string) => string][] = [
      ['a comment in the NameID', (xml) => xml.replace('>stranger<', '>root<!---->.stranger<')],
      ['a comment that keeps the digest', (xml) => xml.replace('>stranger<', '>str<!-- -->anger<')],
      ['a CDATA section', (xml) => xml.replace('>stranger<', '><![CDATA[stranger]]><')],
      ['a processing instruction', (xml) => xml.replace('>stranger<', '>str<?x y?>anger<')],
      ['a document type', (xml) => `<!DOCTYPE x>${xml}`],
      ['an internal entity', (xml) => `<!DOCTYPE x [<!ENTITY a "stranger">]>${xml.replace('>stranger<', '>&a;<')}`],
      [
        'an external entity',
        (xml) => `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${xml.replace('>stranger<', '>&a;<')}`,
      ],
      [
        'an entity that expands a billionfold',
        (xml) =>
          `<!DOCTYPE x [<!ENTITY a0 "x">${Array.from({ length: 30 }, (_, at) => `<!ENTITY a${at + 1} "&a${at};&a${at};">`).join('')}]>${xml.replace('>stranger<', '>&a30;<')}`,
      ],
      ['an undeclared entity', (xml) => xml.replace('>stranger<', '>&nbsp;stranger<')],
      ['two roots', (xml) => xml + xml],
      ['text after the root', (xml) => `${xml}x`],
      ['an unclosed element', (xml) => xml.replace('</samlp:Response>', '')],
      ['an attribute twice', (xml) => xml.replace(' Version=', ' Version="2.0" Version=')],
      ['an undeclared namespace', (xml) => xml.replace('<samlp:Status>', '<x:y/><samlp:Status>')],
      ['too many elements', (xml) => xml.replace('</samlp:Response>', `${'<a/>'.repeat(30_000)}</samlp:Response>`)],
      [
        'endless depth',
        (xml) => xml.replace('</samlp:Response>', `${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}</samlp:Response>`),
      ],
      ['a huge text', (xml) => xml.replace('</samlp:Response>', `${'x'.repeat(900_000)}</samlp:Response>`)],
      ['an encrypted assertion', (xml) => xml.replace(/saml:Assertion/g, 'saml:EncryptedAssertion')],
      ['another root', (xml) => xml.replace(/samlp:Response/g, 'samlp:LogoutResponse')],
      ['nothing', () => ''],
      ['no XML', () => 'hello'],
      [
        'an inclusive canonicalization',
        (xml) =>
          xml.replace(
            'CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"',
            'CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"',
          ),
      ],
      [
        'another transform',
        (xml) =>
          xml.replace(
            'Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"',
            'Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"',
          ),
      ],
      [
        'a keyed hash',
        (xml) =>
          xml.replace(
            'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
            'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
          ),
      ],
    ];
    for (const [name, change] of documents) {
      it(`are refused with ${name}`, async () => {
        await refused(change);
      });
    }

    it('cannot exhaust the server with the largest form', async () => {
      const answer = await visitor().post('/users/auth/saml/callback', { SAMLResponse: 'A'.repeat(2_500_000) });
      assert.equal(answer.status, 413);
      assert.equal((await visitor().post('/users/auth/saml/callback', {})).status, 422);
    });

    it('cannot use a response in another browser, for another provider, or twice', async () => {
      const [victim, attacker] = [visitor(), visitor()];
      const request = await beginAt(attacker, 'saml');
      const xml = provider.xml(request, { nameId: 'one', attributes: { username: 'one', email: 'one@example.com' } });
      const own = await beginAt(victim, 'saml');
      assert.notEqual(own.id, request.id);
      // The attacker lets the victim's browser send the attacker's response.
      assert.equal((await comeBack(victim, 'saml', xml)).status, 422);
      await staysOut(victim);
      // The assertion is spent, even for the attacker.
      assert.equal((await comeBack(attacker, 'saml', xml)).status, 422);
      await staysOut(attacker);
      assert.equal((await sendResponse(victim, 'other', provider.xml(own))).status, 422);
    });

    it('cannot use a ticket twice, or another than their own', async () => {
      const browser = visitor();
      const request = await beginAt(browser, 'saml');
      const cookie = browser.cookie ?? '';
      const signedIn = { nameId: 'two', attributes: { username: 'two', email: 'two@example.com' } };
      const received = await sendResponse(browser, 'saml', provider.xml(request, signedIn));
      const location = received.headers.get('location') ?? '';
      assert.equal((await visitor().open('/users/auth/saml/complete?token=x', { cookie })).status, 422);
      assert.equal((await visitor().open('/users/auth/saml/complete', { cookie })).status, 422);
      const answers = await Promise.all([1, 2, 3, 4].map(() => visitor().open(location, { cookie })));
      assert.deepEqual(answers.map(({ status: code }) => code).sort(), [303, 422, 422, 422]);
      // A further assertion for the same request is not accepted either.
      const again = await sendResponse(browser, 'saml', provider.xml(request, signedIn));
      assert.equal((await visitor().open(again.headers.get('location') ?? '', { cookie })).status, 422);
    });

    it('cannot be accepted concurrently', async () => {
      const browser = visitor();
      const xml = provider.xml(await beginAt(browser, 'saml'));
      const answers = await Promise.all([1, 2, 3, 4].map(() => sendResponse(browser, 'saml', xml)));
      assert.deepEqual(answers.map(({ status: code }) => code).sort(), [303, 422, 422, 422]);
      await staysOut(browser);
    });

    it('report a declined sign-in', async () => {
      const answer = await refused(same, { status: status('RequestDenied') });
      assert.match(answer.text, /You declined the sign-in at Office/);
    });

    it('leave honest responses alone', async () => {
      const browser = visitor();
      const honest = { nameId: 'honest', attributes: { username: 'honest', email: 'honest@example.com' } };
      const answer = await throughSaml(browser, provider, 'saml', { lies: honest });
      assert.equal(answer.status, 303, answer.text);
      assert.equal((await browser.open('/dashboard/todos')).status, 200);
    });
  });
});
