import { childrenOf, parseDocument, walk, type XmlElement } from './document.ts';
import { ns, success } from './names.ts';
import { ResponseDenied, ResponseRefused } from './refused.ts';

/** SHA-1 is missing, because its collisions are affordable. */
const algorithms: Readonly<Record<string, readonly string[]>> = {
  SignatureMethod: [
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
    'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  ],
  DigestMethod: ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'],
  CanonicalizationMethod: ['http://www.w3.org/2001/10/xml-exc-c14n#'],
  Transform: ['http://www.w3.org/2001/10/xml-exc-c14n#', `${ns.signature}enveloped-signature`],
};

const denied = 'urn:oasis:names:tc:SAML:2.0:status:';
const denials = ['AuthnFailed', 'RequestDenied'].map((name) => denied + name);

/**
 * Checks the shape of a response before its signatures are verified: a successful response with exactly one assertion,
 * and signatures only directly in these two, by strong algorithms. This leaves signature wrapping nothing to wrap.
 */
export function checkResponse(xml: string, consumer: string): void {
  const response = parseDocument(xml);
  if (response.name !== 'Response' || response.uri !== ns.protocol) throw new ResponseRefused('not a response');
  checkStatus(response);
  checkDestination(response, consumer);
  const [assertion, ...others] = childrenOf(response, ns.assertion, 'Assertion');
  if (!assertion || others.length > 0)
    throw new ResponseRefused('the response must contain one assertion in the clear');
  walk(response, (element, parent) => {
    const { name } = element;
    const isExtra = /^(Encrypted)?Assertion$/.test(name) && element !== assertion;
    if (isExtra || (name === 'Response' && element !== response)) throw new ResponseRefused(`a further ${name}`);
    if (name === 'Signature' && parent !== response && parent !== assertion)
      throw new ResponseRefused('a stray signature');
    const known = algorithms[name];
    if (known && element.uri === ns.signature && !known.includes(element.attributes.get('Algorithm') ?? '')) {
      throw new ResponseRefused(`the ${name} ${element.attributes.get('Algorithm')} is not accepted`);
    }
  });
  const ids = new Set<string>();
  walk(response, ({ attributes }) => {
    for (const name of ['ID', 'Id', 'id']) {
      const id = attributes.get(name);
      if (id === undefined) continue;
      if (ids.has(id)) throw new ResponseRefused('the response contains an ID twice');
      ids.add(id);
    }
  });
}

function checkStatus(response: XmlElement): void {
  const [status] = childrenOf(response, ns.protocol, 'Status');
  const codes: string[] = [];
  for (let at = status; at; [at] = childrenOf(at, ns.protocol, 'StatusCode')) {
    codes.push(at.attributes.get('Value') ?? '');
  }
  if (codes.some((code) => denials.includes(code))) throw new ResponseDenied('denied');
  if (codes[1] !== success)
    throw new ResponseRefused(`the provider reported ${codes.slice(1).join(', ').slice(0, 400)}`);
}

function checkDestination(response: XmlElement, consumer: string): void {
  const destination = response.attributes.get('Destination');
  if (destination !== undefined && destination !== consumer) {
    throw new ResponseRefused(`the response is for ${destination.slice(0, 400)}, not ${consumer}`);
  }
}
