import { apiVersion } from '../../access/api-version.ts';

/** What this server says of itself. */
export function getMetadata() {
  return {
    version: apiVersion,
    // Which build this is; clients show it and nothing else.
    revision: 'hearth',
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    enterprise: true,
  };
}
