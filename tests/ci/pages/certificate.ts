import { distinguishedName, issue } from '../../support/x509.ts';

/** A self-signed certificate for a domain with its key, in PEM. */
export function selfSigned(domain: string): { readonly certificate: string; readonly key: string } {
  const { certificate, privateKey } = issue({ name: distinguishedName({ CN: domain }) });
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
