import { apiVersion } from '../../access/api-version.ts';

/** Returns version and metadata of the server. */
export function getMetadata() {
  return {
    version: apiVersion,
    // Identifies the build; clients only display it.
    revision: 'hearth',
    kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    enterprise: true,
  };
}
