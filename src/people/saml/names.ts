/** XML namespaces. */
export const ns = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
};

export const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
export const success = 'urn:oasis:names:tc:SAML:2.0:status:Success';
export const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
