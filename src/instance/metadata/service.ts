/** The release of the API that is served. Clients switch features by it, and expect three numbers. */
export const apiVersion = '18.9.0';

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
