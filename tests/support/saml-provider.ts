import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { atEnd } from './at-end.ts';
import type { Browser, Seen } from './browser.ts';
import { leadsTo } from './openid-provider.ts';
import { distinguishedName, issueRoot, pem } from './x509.ts';

const ns = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
};
export const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

/** What a response says; texts are XML. */
export interface Said {
  readonly issuer: string;
  readonly audience: string;
  readonly recipient: string;
  readonly destination: string;
  /** Undefined for a sign-in that begins at the provider. */
  readonly inResponseTo: string | undefined;
  readonly nameId: string;
  readonly format: string;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  readonly id: string;
  readonly from: number;
  readonly until: number;
  readonly confirmedUntil: number;
  readonly status: string;
  readonly method: string;
  readonly signs: 'assertion' | 'response' | 'both' | 'nothing';
  readonly key: KeyObject;
  readonly signatureMethod: string;
  readonly digestMethod: string;
  /** Changes the canonical text of the assertion before it is signed. */
  readonly written: (assertion: string) => string;
}

const newId = () => `_${randomBytes(16).toString('hex')}`;
const date = (at: number) => new Date(at).toISOString();

/**
 * Signs an element that is written canonically, so that its text is what is digested. The signature follows the issuer,
 * as the schema demands.
 */
export function signElement(
  xml: string,
  id: string,
  { key, signatureMethod, digestMethod }: Pick<Said, 'key' | 'signatureMethod' | 'digestMethod'>,
): string {
  const hash = (method: string) => /sha(1|256|512)$/.exec(method)?.[0] ?? 'sha256';
  const digest = createHash(hash(digestMethod)).update(xml).digest('base64');
  const transforms = [`${ns.signature}enveloped-signature`, 'http://www.w3.org/2001/10/xml-exc-c14n#'];
  const info = `<ds:CanonicalizationMethod Algorithm="${transforms[1]}"></ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="${signatureMethod}"></ds:SignatureMethod><ds:Reference URI="#${id}"><ds:Transforms>${transforms.map((one) => `<ds:Transform Algorithm="${one}"></ds:Transform>`).join('')}</ds:Transforms><ds:DigestMethod Algorithm="${digestMethod}"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const canonical = `<ds:SignedInfo xmlns:ds="${ns.signature}">${info}`;
  const value = sign(hash(signatureMethod), Buffer.from(canonical), key).toString('base64');
  const signature = `<ds:Signature xmlns:ds="${ns.signature}"><ds:SignedInfo>${info}<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
  return xml.replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
}

function assertionOf(said: Said): string {
  const { issuer, audience, recipient, inResponseTo, nameId, format, attributes, id } = said;
  const answers = inResponseTo === undefined ? '' : ` InResponseTo="${inResponseTo}"`;
  const statement = Object.entries(attributes)
    .map(([name, values]) => {
      const each = [values].flat().map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`);
      return `<saml:Attribute Name="${name}">${each.join('')}</saml:Attribute>`;
    })
    .join('');
  const conditions = `<saml:Conditions NotBefore="${date(said.from)}" NotOnOrAfter="${date(said.until)}"><saml:AudienceRestriction><saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`;
  const confirmation = `<saml:SubjectConfirmation Method="${said.method}"><saml:SubjectConfirmationData${answers} NotOnOrAfter="${date(said.confirmedUntil)}" Recipient="${recipient}"></saml:SubjectConfirmationData></saml:SubjectConfirmation>`;
  return said.written(
    `<saml:Assertion xmlns:saml="${ns.assertion}" ID="${id}" IssueInstant="${date(Date.now())}" Version="2.0"><saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${format}">${nameId}</saml:NameID>${confirmation}</saml:Subject>${conditions}<saml:AuthnStatement AuthnInstant="${date(Date.now())}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${statement}</saml:AttributeStatement></saml:Assertion>`,
  );
}

function responseOf(said: Said): string {
  const { destination, inResponseTo, issuer, status, signs } = said;
  const bare = assertionOf(said);
  const assertion = signs === 'assertion' || signs === 'both' ? signElement(bare, said.id, said) : bare;
  const id = newId();
  const answers = inResponseTo === undefined ? '' : ` InResponseTo="${inResponseTo}"`;
  const head = `<samlp:Response xmlns:samlp="${ns.protocol}" Destination="${destination}" ID="${id}"${answers} IssueInstant="${date(Date.now())}" Version="2.0"><saml:Issuer xmlns:saml="${ns.assertion}">${issuer}</saml:Issuer>`;
  const rest = `<samlp:Status>${status}</samlp:Status>${assertion}</samlp:Response>`;
  return signs === 'response' || signs === 'both' ? signElement(head + rest, id, said) : head + rest;
}

/** A request of the server, as the provider reads it. */
export interface AuthnRequest {
  readonly xml: string;
  readonly id: string;
  readonly issuer: string;
  readonly consumer: string;
}

export function readRequest(address: URL): AuthnRequest {
  const xml = inflateRawSync(Buffer.from(address.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(xml)?.[1] ?? '';
  const issuer = />([^<]*)<\/saml:Issuer>/.exec(xml)?.[1] ?? '';
  return { xml, id: attribute('ID'), issuer, consumer: attribute('AssertionConsumerServiceURL') };
}

/** A SAML identity provider that says what a test wants. */
export class SamlProvider {
  readonly url = 'http://localhost/sso';
  readonly entityId = 'https://idp.example.com/metadata';
  /** File with its certificate. */
  readonly certificate: string;
  readonly key: KeyObject;
  /** The user who signs in next. */
  person: Partial<Said> = {};

  constructor() {
    const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const identity = issueRoot({ keys, name: distinguishedName({ CN: 'idp.example.com' }) });
    this.key = identity.privateKey;
    const folder = mkdtempSync(join(tmpdir(), 'saml-'));
    atEnd(() => rmSync(folder, { recursive: true, force: true }));
    this.certificate = join(folder, 'idp.pem');
    writeFileSync(this.certificate, pem(identity));
  }

  /** Returns the XML of a response to a request. */
  xml(request: Pick<AuthnRequest, 'id' | 'issuer' | 'consumer'>, lies: Partial<Said> = {}): string {
    const now = Date.now();
    return responseOf({
      issuer: this.entityId,
      audience: request.issuer,
      recipient: request.consumer,
      destination: request.consumer,
      inResponseTo: request.id,
      nameId: 'nobody',
      format: persistent,
      attributes: {},
      id: newId(),
      from: now - 5_000,
      until: now + 300_000,
      confirmedUntil: now + 300_000,
      status: '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></samlp:StatusCode>',
      method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
      signs: 'assertion',
      key: this.key,
      signatureMethod: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
      digestMethod: 'http://www.w3.org/2001/04/xmlenc#sha256',
      written: (text) => text,
      ...this.person,
      ...lies,
    });
  }
}

/** Headers of a form that the provider's page sends; a browser adds no cookies of ours to it. */
const foreign = { origin: 'https://idp.example.com', 'sec-fetch-site': 'cross-site' };

/** Sends a response to the assertion consumer from the provider's page. */
export function sendResponse(browser: Browser, name: string, xml: string, relayState = ''): Promise<Seen> {
  const form = { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: relayState };
  return browser.post(`/users/auth/${name}/callback`, form, { ...foreign, cookie: '' });
}

/** Begins a sign-in and returns the request. */
export async function beginAt(
  browser: Browser,
  name: string,
  { page, start = `/users/auth/${name}`, redirect = '' }: { page?: string; start?: string; redirect?: string } = {},
): Promise<AuthnRequest> {
  const begun = page === undefined ? await browser.post(start, { redirect }) : await browser.fill(page, start, {});
  return readRequest(leadsTo(begun));
}

/** Sends a response and follows its redirect, as the browser does with its cookies. */
export async function comeBack(browser: Browser, name: string, xml: string, relayState = ''): Promise<Seen> {
  const received = await sendResponse(browser, name, xml, relayState);
  if (received.status !== 303) return received;
  const location = received.headers.get('location') ?? '';
  assert.match(location, /^\/users\/auth\/[^/]+\/complete\?token=[\w-]{43}$/);
  return browser.open(location);
}

/** Signs in at the provider and comes back. */
export async function throughSaml(
  browser: Browser,
  provider: SamlProvider,
  name: string,
  options: { page?: string; start?: string; redirect?: string; lies?: Partial<Said> } = {},
): Promise<Seen> {
  const request = await beginAt(browser, name, options);
  return comeBack(browser, name, provider.xml(request, options.lies));
}
